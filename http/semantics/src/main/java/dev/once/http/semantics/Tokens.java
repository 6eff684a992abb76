package dev.once.http.semantics;

/** The syntax of names in HTTP (RFC 9110, 5.6.2). */
final class Tokens {

  private Tokens() {}

  static String check(String what, String token) {
    if (!isToken(token)) {
      throw new IllegalArgumentException(
          what + ": '" + token + "' (expected: letters, digits and any of !#$%&'*+-.^_`|~)");
    }
    return token;
  }

  static boolean isToken(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean letterOrDigit =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!letterOrDigit && "!#$%&'*+-.^_`|~".indexOf(c) < 0) {
        return false;
      }
    }
    return !text.isEmpty();
  }
}
