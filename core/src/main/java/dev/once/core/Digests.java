package dev.once.core;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 over length-prefixed parts, so that ("ab", "c") and ("a", "bc") differ. */
final class Digests {

  private Digests() {}

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  static void updatePart(MessageDigest digest, Bytes part) {
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.size()).flip());
    digest.update(part.asBuffer());
  }
}
