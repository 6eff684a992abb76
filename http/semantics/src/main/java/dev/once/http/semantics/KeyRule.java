package dev.once.http.semantics;

import dev.once.core.Key;
import org.jspecify.annotations.Nullable;

/** What a client may send as a key. */
public record KeyRule(KeyForm form, int minLength, int maxLength) {

  public KeyRule {
    if (minLength < 1 || maxLength > Key.MAX_BYTES || minLength > maxLength) {
      throw new IllegalArgumentException(
          "key length: %d to %d (expected: 1 <= least <= most <= %d)"
              .formatted(minLength, maxLength, Key.MAX_BYTES));
    }
  }

  /** The rule in words, for the page and for problems. */
  public String describe() {
    return minLength + " to " + maxLength + " characters: " + form.description();
  }

  /**
   * What is wrong with this key, without the key itself; null if nothing is.
   *
   * @param quoted whether it came as an RFC 8941 String
   */
  @Nullable String findError(String key, boolean quoted) {
    return key.length() < minLength || key.length() > maxLength
        ? "it has " + key.length() + " characters"
        : form.findError(key, quoted);
  }
}
