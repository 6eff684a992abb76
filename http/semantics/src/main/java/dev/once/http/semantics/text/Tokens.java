package dev.once.http.semantics.text;

import java.util.Locale;

/** The syntax of names in HTTP (RFC 9110, 5.6.2). */
public final class Tokens {

  private static final boolean[] OF_TOKENS = new boolean[128];

  static {
    for (char c = '0'; c <= 'z'; c++) {
      OF_TOKENS[c] = isDigit(c) || isUpper(c) || (c >= 'a' && c <= 'z');
    }
    "!#$%&'*+-.^_`|~".chars().forEach(c -> OF_TOKENS[c] = true);
  }

  private Tokens() {}

  /** The same text, if it is a token. */
  public static String check(String what, String token) {
    if (!isToken(token)) {
      throw new IllegalArgumentException(
          what + ": '" + token + "' (expected: letters, digits and any of !#$%&'*+-.^_`|~)");
    }
    return token;
  }

  public static boolean isToken(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= OF_TOKENS.length || !OF_TOKENS[c]) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  /** In lower case; names mostly are, and then this is quick. */
  public static String lower(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (isUpper(c) || c >= OF_TOKENS.length) {
        return name.toLowerCase(Locale.ROOT);
      }
    }
    return name;
  }

  private static boolean isUpper(char c) {
    return c >= 'A' && c <= 'Z';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
