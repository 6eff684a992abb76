package dev.once.http.conformance;

import dev.once.http.conformance.wire.Text;

/** Whether the endpoint is documented to need a key. */
public enum Required {
  YES,
  NO,

  /** Whatever the server does is reported, and is not a failure. */
  UNKNOWN;

  /** What a flag says: {@code yes}, {@code no} or {@code unknown}. */
  public static Required named(String word) {
    return Text.constant("required", Required.class, word);
  }
}
