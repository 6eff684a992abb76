package dev.once.http.semantics;

import dev.once.core.Body;
import dev.once.core.Bytes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** A body too large to keep, which passes by: what is recorded of it. For one thread at a time. */
public final class StreamedBody {

  private final MessageDigest sha256;
  private long size;

  public StreamedBody() {
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256: not there (expected: in every JDK)", e);
    }
  }

  public void add(byte[] bytes) {
    add(bytes, 0, bytes.length);
  }

  public void add(byte[] bytes, int offset, int length) {
    sha256.update(bytes, offset, length);
    size += length;
  }

  /** How much has passed. */
  public long size() {
    return size;
  }

  /** All of it has passed. */
  public Body end() {
    return new Body.Digest(size, Bytes.wrap(sha256.digest()));
  }
}
