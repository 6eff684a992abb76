package dev.once.core;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/** An immutable sequence of bytes, compared by content; ordered as unsigned bytes are. */
public final class Bytes implements Comparable<Bytes> {

  public static final Bytes EMPTY = new Bytes(new byte[0]);

  /** To be copied, which is quicker than to look for it. */
  private static final MessageDigest SHA_256 = findSha256();

  private final byte[] array;

  private Bytes(byte[] array) {
    this.array = array;
  }

  /** Copies the array: later changes to it are not seen. */
  public static Bytes copyOf(byte[] array) {
    return array.length == 0 ? EMPTY : new Bytes(array.clone());
  }

  /** Takes the array without a copy; the caller gives it up and never writes to it again. */
  public static Bytes wrap(byte[] array) {
    return array.length == 0 ? EMPTY : new Bytes(array);
  }

  /**
   * The text in UTF-8.
   *
   * @throws IllegalArgumentException if the text has a lone surrogate: encoded, it would be the
   *     same as a question mark, and two names must not become one
   */
  public static Bytes utf8(String text) {
    return wrap(Checks.unicode("text", text).getBytes(StandardCharsets.UTF_8));
  }

  public int size() {
    return array.length;
  }

  public byte[] toArray() {
    return array.clone();
  }

  /** A read-only view, without a copy. */
  public ByteBuffer asBuffer() {
    return ByteBuffer.wrap(array).asReadOnlyBuffer();
  }

  static MessageDigest sha256() {
    try {
      return (MessageDigest) SHA_256.clone();
    } catch (CloneNotSupportedException e) {
      return findSha256(); // as some providers of certified modules have it
    }
  }

  private static MessageDigest findSha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** With its length before it, so that ("ab", "c") and ("a", "bc") differ. */
  void addPartTo(MessageDigest digest) {
    int size = array.length;
    digest.update(
        new byte[] {(byte) (size >>> 24), (byte) (size >>> 16), (byte) (size >>> 8), (byte) size});
    digest.update(array);
  }

  public String toUtf8() {
    return new String(array, StandardCharsets.UTF_8);
  }

  public String toHex() {
    return HexFormat.of().formatHex(array);
  }

  @Override
  public int compareTo(Bytes other) {
    return Arrays.compareUnsigned(array, other.array);
  }

  @Override
  public boolean equals(Object other) {
    return this == other || (other instanceof Bytes that && Arrays.equals(array, that.array));
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(array);
  }

  /** The size only: bytes may be somebody's secret. */
  @Override
  public String toString() {
    return array.length + " bytes";
  }
}
