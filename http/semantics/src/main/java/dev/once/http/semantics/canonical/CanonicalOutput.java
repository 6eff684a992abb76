package dev.once.http.semantics.canonical;

import dev.once.core.Bytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The bytes of a canonical form, as they are written. */
final class CanonicalOutput {

  private static final VarHandle EIGHT =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** One in each byte of a long: times a byte, that byte eight times. */
  private static final long EACH = 0x0101_0101_0101_0101L;

  private static final long HIGH_BITS = EACH << 7;

  private byte[] bytes;
  private int size;
  private int escapes;

  /** What was cut off last; kept, to be written to again. */
  private byte[] cut = {};

  CanonicalOutput(int capacity) {
    bytes = new byte[Math.max(capacity, 16)];
  }

  void add(char ascii) {
    if (size == bytes.length) {
      grow(1);
    }
    bytes[size++] = (byte) ascii;
  }

  void add(byte[] source, int from, int to) {
    int length = to - from;
    if (length > bytes.length - size) {
      grow(length);
    }
    System.arraycopy(source, from, bytes, size, length);
    size += length;
  }

  /**
   * Copies what may stand in a string as it is: up to the next quotation mark, backslash, control
   * character or byte beyond ASCII. It looks at eight bytes at a time, and writes all of them;
   * those from the first of these on are written over later.
   *
   * @param input with eight bytes more than are to be copied
   * @return the position of the first of these
   */
  int addPlain(byte[] input, int start) {
    int at = start;
    int end = size;
    byte[] target = bytes;
    while (true) {
      if (Long.BYTES > target.length - end) {
        size = end;
        grow(Long.BYTES);
        target = bytes;
      }
      long eight = (long) EIGHT.get(input, at);
      EIGHT.set(target, end, eight);
      // In each byte the high bit is set if it is no plain one, and in none before the first.
      long special =
          ((eight - EACH * ' ')
                  | ((eight ^ EACH * '"') - EACH)
                  | ((eight ^ EACH * '\\') - EACH)
                  | eight)
              & HIGH_BITS;
      if (special != 0) {
        int plain = Long.numberOfTrailingZeros(special) >>> 3;
        size = end + plain;
        return at + plain;
      }
      at += Long.BYTES;
      end += Long.BYTES;
    }
  }

  void add(CharSequence ascii) {
    for (int i = 0; i < ascii.length(); i++) {
      add(ascii.charAt(i));
    }
  }

  void addEscape(char letter) {
    escapes++;
    add('\\');
    add(letter);
  }

  int size() {
    return size;
  }

  /** How many were written so far. */
  int escapes() {
    return escapes;
  }

  /** The first {@link #size} bytes of this array were written; the next write may replace it. */
  byte[] bytes() {
    return bytes;
  }

  /** Takes back all bytes from there on, and returns them; they are valid until the next cut. */
  byte[] cut(int start) {
    int length = size - start;
    if (cut.length < length) {
      cut = new byte[Math.max(length, Math.min(2 * cut.length, bytes.length))];
    }
    System.arraycopy(bytes, start, cut, 0, length);
    size = start;
    return cut;
  }

  Bytes toBytes() {
    return Bytes.wrap(Arrays.copyOf(bytes, size));
  }

  private void grow(int more) {
    long wanted = Math.max((long) size + more, bytes.length + (bytes.length >> 1));
    bytes = Arrays.copyOf(bytes, (int) Math.min(wanted, Integer.MAX_VALUE - 8));
  }
}
