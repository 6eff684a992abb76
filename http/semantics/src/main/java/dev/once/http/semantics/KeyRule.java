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

  /** What is wrong with this key, without the key itself; null if nothing is. */
  @Nullable String complaint(String key) {
    if (key.length() < minLength || key.length() > maxLength) {
      return "it has " + key.length() + " characters";
    }
    if (!KeyForm.VISIBLE_ASCII.allows(key)) {
      return "it has a character that is not visible ASCII";
    }
    return form.allows(key) ? null : "it has another form";
  }
}
