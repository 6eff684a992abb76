package dev.once.core;

import java.util.Objects;

/**
 * The idempotency key: the client's name for one operation, unique within a {@link Scope}.
 *
 * <p>Any bytes are allowed here; which text a client may send is a rule of the protocol in front.
 * {@code toString} is masked, because keys end up in logs.
 */
public record Key(Bytes bytes) {

  public static final int MAX_BYTES = 1024;

  public Key {
    Objects.requireNonNull(bytes, "key: null (expected: 1 to " + MAX_BYTES + " bytes)");
    if (bytes.size() == 0) {
      throw new IllegalArgumentException("key: empty (expected: 1 to " + MAX_BYTES + " bytes)");
    }
    if (bytes.size() > MAX_BYTES) {
      throw new IllegalArgumentException(
          "key: " + bytes.size() + " bytes (expected: 1 to " + MAX_BYTES + " bytes)");
    }
  }

  public static Key of(String text) {
    Objects.requireNonNull(text, "key: null (expected: 1 to " + MAX_BYTES + " bytes)");
    return new Key(Bytes.utf8(text));
  }

  /**
   * The first and last four characters, as in {@code 550e****0000}; short keys show nothing. {@link
   * OperationId#masked()} tells those apart.
   */
  public String masked() {
    return Masking.mask(bytes.toUtf8());
  }

  @Override
  public String toString() {
    return masked();
  }
}
