package dev.once.stores.redis;

import io.netty.channel.Channel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What a server said: up to two strings and a number, in any order; and before them, if it says of
 * which kind they are, another number.
 */
final class Reply {

  private static final byte[] NONE = {};

  private int count;
  private int strings;
  private long first;
  private long number;
  private byte @Nullable [] one;
  private byte @Nullable [] two;
  private @Nullable Channel channel;

  void add(long value) {
    if (count++ == 0) {
      first = value;
    } else {
      number = value;
    }
  }

  void add(byte @Nullable [] value) {
    count++;
    if (strings++ == 0) {
      one = value;
    } else {
      two = value;
    }
  }

  void writtenOn(Channel channel) {
    this.channel = channel;
  }

  /** The one connection, of all that the client makes, on which the command was written. */
  @Nullable Channel channel() {
    return channel;
  }

  /** The number that it begins with; 0 if it begins with a string. */
  long first() {
    return first;
  }

  /** The number that it does not begin with. */
  long number() {
    return number;
  }

  boolean hasOne() {
    return one != null;
  }

  boolean hasTwo() {
    return two != null;
  }

  byte[] one() {
    return required(one);
  }

  byte[] two() {
    return required(two);
  }

  Reply itself() {
    return this;
  }

  static long parse(byte[] digits) {
    return Long.parseLong(new String(digits, StandardCharsets.US_ASCII));
  }

  /** Nothing is nothing: whoever reads it knows what it means there. */
  private static byte[] required(byte @Nullable [] value) {
    return value == null ? NONE : value;
  }
}
