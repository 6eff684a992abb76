package dev.once.http.conformance.rules;

import dev.once.http.conformance.KeyStyle;
import java.util.UUID;

/**
 * A key that was never used before, in one of its two spellings.
 *
 * @param text what names the operation
 * @param quoted whether it is sent as an RFC 8941 String
 */
record Key(String text, boolean quoted) {

  static Key next(KeyStyle style) {
    String unique = UUID.randomUUID().toString();
    String text = style == KeyStyle.COMPOSITE ? composite(unique) : unique;
    return new Key(text, style == KeyStyle.QUOTED);
  }

  /** A key that no sensible limit lets pass. */
  static Key tooLong(KeyStyle style) {
    String long5000 = "a".repeat(5000);
    String text = style == KeyStyle.COMPOSITE ? composite(long5000) : long5000;
    return new Key(text, style == KeyStyle.QUOTED);
  }

  private static String composite(String resource) {
    return "once-check:order.create:" + resource + ":" + System.currentTimeMillis();
  }

  Key inQuotes(boolean wanted) {
    return new Key(text, wanted);
  }

  /** The value of the header field. */
  String line() {
    return quoted ? "\"" + text + "\"" : text;
  }
}
