package dev.once.stores.redis;

import dev.once.core.store.RecordFormatException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What a script said: a number, and in an array after it up to two strings or a further number; or
 * one string alone.
 */
final class Reply {

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

  private static byte[] required(byte @Nullable [] value) {
    if (value == null) {
      throw new RecordFormatException("redis: a reply with less in it than expected");
    }
    return value;
  }
}
