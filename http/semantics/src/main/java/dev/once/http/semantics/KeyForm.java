package dev.once.http.semantics;

import java.util.regex.Pattern;

/** Which characters a key may have, and in what order. */
public enum KeyForm {
  VISIBLE_ASCII("visible ASCII characters, no spaces", "[!-~]+"),
  ALPHANUMERIC("letters, digits and hyphens", "[A-Za-z0-9-]+"),
  UUID_V4(
      "a UUID version 4, in either case",
      "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}"),
  /** The time stamp tells keys apart; it is never compared with a clock. */
  COMPOSITE(
      "{userId}:{operation}:{resourceId}:{clientTimestamp}, the timestamp in digits",
      "[!-9;-~]+:[!-9;-~]+:[!-9;-~]+:[0-9]+");

  private final String description;
  private final Pattern pattern;

  KeyForm(String description, String pattern) {
    this.description = description;
    this.pattern = Pattern.compile(pattern);
  }

  public String description() {
    return description;
  }

  /** The form as a regular expression that Java and JavaScript read alike. */
  public String regex() {
    return pattern.pattern();
  }

  boolean allows(String key) {
    return this == VISIBLE_ASCII ? isVisibleAscii(key) : pattern.matcher(key).matches();
  }

  /** The form of most keys, without a matcher. */
  private static boolean isVisibleAscii(String key) {
    for (int i = 0; i < key.length(); i++) {
      if (key.charAt(i) <= ' ' || key.charAt(i) > '~') {
        return false;
      }
    }
    return !key.isEmpty();
  }
}
