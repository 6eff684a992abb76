package dev.once.core;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 over length-prefixed parts, so that ("ab", "c") and ("a", "bc") differ. */
final class Digests {

  /** To be copied, which is quicker than to look for it. */
  private static final MessageDigest SHA_256 = find();

  private Digests() {}

  private static MessageDigest find() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  static MessageDigest sha256() {
    try {
      return (MessageDigest) SHA_256.clone();
    } catch (CloneNotSupportedException e) {
      return find(); // as some providers of certified modules have it
    }
  }

  static void updatePart(MessageDigest digest, Bytes part) {
    int size = part.size();
    digest.update(
        new byte[] {(byte) (size >>> 24), (byte) (size >>> 16), (byte) (size >>> 8), (byte) size});
    part.addTo(digest);
  }
}
