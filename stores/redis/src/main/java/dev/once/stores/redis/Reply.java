package dev.once.stores.redis;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What a script said: a number, and in an array after it up to two strings or a further number; or
 * one string alone.
 */
final class Reply {

  private static final byte[] NONE = {};

  private int count;
  private long first;
  private long number;
  private byte @Nullable [] one;
  private byte @Nullable [] two;

  void add(long value) {
    if (count++ == 0) {
      first = value;
    } else {
      number = value;
    }
  }

  void add(byte @Nullable [] value) {
    if (count++ == 2) {
      two = value;
    } else {
      one = value;
    }
  }

  /** Which kind of reply it is; 0 if it is a string alone. */
  long first() {
    return first;
  }

  /** The number after it. */
  long number() {
    return number;
  }

  byte[] one() {
    return required(one);
  }

  byte[] two() {
    return required(two);
  }

  static long parse(byte[] digits) {
    return Long.parseLong(new String(digits, StandardCharsets.US_ASCII));
  }

  /** Nothing is nothing: whoever reads it knows what it means there. */
  private static byte[] required(byte @Nullable [] value) {
    return value == null ? NONE : value;
  }
}
