package dev.once.http.conformance;

import dev.once.http.conformance.wire.Text;

/** How the keys look that the server takes. */
public enum KeyStyle {

  /** A UUID as an RFC 8941 String, in quotes: what the draft asks clients to send. */
  QUOTED,

  /** A bare UUID, version 4. */
  UUID,

  /** Bare {@code user:operation:resource:timestamp}. */
  COMPOSITE;

  /** The style that a flag names: {@code quoted}, {@code uuid} or {@code composite}. */
  public static KeyStyle named(String word) {
    return Text.constant("key-style", KeyStyle.class, word);
  }
}
