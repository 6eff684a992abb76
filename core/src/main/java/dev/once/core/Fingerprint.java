package dev.once.core;

import java.security.MessageDigest;

/**
 * What was asked: a versioned SHA-256 over the parts of the request. The same key with another
 * fingerprint is another request, and refused.
 *
 * @param version which rules the parts were made by; fingerprints of two versions never match
 * @param hash 32 bytes
 */
public record Fingerprint(byte version, Bytes hash) {

  public static final byte CURRENT_VERSION = 1;
  public static final int HASH_BYTES = 32;

  public Fingerprint {
    if (hash.size() != HASH_BYTES) {
      throw new IllegalArgumentException(
          "fingerprint: " + hash.size() + " bytes (expected: " + HASH_BYTES + ")");
    }
  }

  /** The fingerprint of these parts, in this order. */
  public static Fingerprint of(Bytes... parts) {
    MessageDigest sha256 = Bytes.sha256();
    sha256.update(CURRENT_VERSION);
    for (Bytes part : parts) {
      part.addPartTo(sha256);
    }
    return new Fingerprint(CURRENT_VERSION, Bytes.wrap(sha256.digest()));
  }

  /** {@link #of(Bytes...)} over the parts as UTF-8. */
  public static Fingerprint of(String... parts) {
    Bytes[] encoded = new Bytes[parts.length];
    for (int i = 0; i < parts.length; i++) {
      encoded[i] = Bytes.utf8(parts[i]);
    }
    return of(encoded);
  }

  /** The version byte followed by the hash: the form that stores keep. */
  public Bytes encoded() {
    byte[] encoded = new byte[1 + HASH_BYTES];
    encoded[0] = version;
    hash.asBuffer().get(encoded, 1, HASH_BYTES);
    return Bytes.wrap(encoded);
  }

  public static Fingerprint decode(byte[] encoded) {
    if (encoded.length != 1 + HASH_BYTES) {
      throw new IllegalArgumentException(
          "fingerprint: " + encoded.length + " bytes (expected: " + (1 + HASH_BYTES) + ")");
    }
    byte[] hash = new byte[HASH_BYTES];
    System.arraycopy(encoded, 1, hash, 0, HASH_BYTES);
    return new Fingerprint(encoded[0], Bytes.wrap(hash));
  }

  /** The hash as in {@code a1b2****c3d4}. */
  @Override
  public String toString() {
    return Masking.mask(hash.toHex());
  }
}
