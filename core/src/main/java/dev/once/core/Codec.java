package dev.once.core;

import org.jspecify.annotations.Nullable;

/**
 * How a value of your own type is recorded: as bytes, and read again from them on a replay. For
 * {@link Once#call}. Thread-safe.
 *
 * <p>For JSON there is {@code once-codecs-jackson}. What a codec writes today it must still read
 * after an upgrade, for as long as the policy's retention.
 */
public interface Codec<T extends @Nullable Object> {

  /** The value as bytes: an array of its own, which nobody writes to afterwards. */
  byte[] encode(T value);

  /** The value again. The array is the codec's to keep. */
  T decode(byte[] bytes);

  /** What is recorded of a value: a success. */
  default Answer toAnswer(T value) {
    return Answer.success(Codecs.CODE, new Body.Full(Bytes.wrap(encode(value))));
  }

  /**
   * The value of a recorded answer.
   *
   * @param what whose answer it is, for the messages
   * @throws EarlierFailureException if it is not a success
   * @throws NotReplayableException if the value was not kept, or cannot be decoded
   */
  default T fromAnswer(String what, Answer answer) {
    return Codecs.decode(this, what, answer);
  }

  /** Text, in UTF-8. */
  static Codec<String> text() {
    return Codecs.TEXT;
  }

  /** Bytes as they are. */
  static Codec<byte[]> bytes() {
    return Codecs.BYTES;
  }

  /** No value: for what is done and returns nothing. A replay needs nothing that was recorded. */
  static Codec<@Nullable Void> none() {
    return Codecs.NONE;
  }
}
