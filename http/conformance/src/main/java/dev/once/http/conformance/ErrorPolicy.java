package dev.once.http.conformance;

import dev.once.http.conformance.wire.Text;

/** What happens to a key whose operation ended in an error. */
public enum ErrorPolicy {

  /** A retry gets the error again, as the draft asks. */
  REPLAYED,

  /** The key is free again, and a retry runs. */
  RELEASED;

  /** What a flag says: {@code replayed} or {@code released}. */
  public static ErrorPolicy named(String word) {
    return Text.constant("errors", ErrorPolicy.class, word);
  }
}
