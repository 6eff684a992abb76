package dev.once.http.semantics;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Which characters a key may have, and in what order. */
public enum KeyForm {
  /** What RFC 8941 allows in a String; bare, as in {@link #VISIBLE_ASCII}. */
  STRING("visible ASCII characters, and spaces if it is in quotes", "([!-~]+|\"[ -~]+\")"),
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

  /** The form of the header as a regular expression that Java and JavaScript read alike. */
  public String regex() {
    return pattern.pattern();
  }

  /** What is wrong with the characters of a key, without the key itself; null if nothing is. */
  @Nullable String findError(String key, boolean quoted) {
    boolean spaces = this == STRING && quoted;
    if (!isAscii(key, spaces ? ' ' : '!')) {
      return "it has a character that is not visible ASCII";
    }
    boolean anyOrder = this == STRING || this == VISIBLE_ASCII; // most keys: without a matcher
    return anyOrder || pattern.matcher(key).matches() ? null : "it has another form";
  }

  private static boolean isAscii(String key, char first) {
    for (int i = 0; i < key.length(); i++) {
      if (key.charAt(i) < first || key.charAt(i) > '~') {
        return false;
      }
    }
    return true;
  }
}
