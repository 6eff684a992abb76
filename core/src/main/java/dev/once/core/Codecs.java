package dev.once.core;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The codecs that core has, and how any of them reads an answer. */
final class Codecs {

  /** Whoever reads records knows success by its outcome; the number says nothing more. */
  static final int CODE = 200;

  static final Codec<String> TEXT =
      new Codec<>() {
        @Override
        public byte[] encode(String value) {
          return Bytes.utf8(required(value)).toArray();
        }

        @Override
        public String decode(byte[] bytes) {
          return Bytes.wrap(bytes).toUtf8();
        }
      };

  static final Codec<byte[]> BYTES =
      new Codec<>() {
        @Override
        public byte[] encode(byte[] value) {
          return required(value).clone();
        }

        @Override
        public byte[] decode(byte[] bytes) {
          return bytes;
        }
      };

  @SuppressWarnings("NullAway") // which does not see that T is nullable here
  static final Codec<@Nullable Void> NONE =
      new Codec<>() {
        @Override
        public byte[] encode(@Nullable Void value) {
          return new byte[0];
        }

        @Override
        public @Nullable Void decode(byte[] bytes) {
          return null;
        }
      };

  private Codecs() {}

  static <T extends @Nullable Object> T decode(Codec<T> codec, String what, Answer answer) {
    if (answer.outcome() != Outcome.SUCCESS) {
      throw new EarlierFailureException(what, answer);
    }
    Bytes recorded;
    if (answer.body() instanceof Body.Full full) {
      recorded = full.bytes();
    } else if (codec == NONE) {
      recorded = Bytes.EMPTY;
    } else {
      throw NotReplayableException.notKept(what, answer.body());
    }
    try {
      return codec.decode(recorded.toArray());
    } catch (RuntimeException e) {
      throw NotReplayableException.notDecoded(what, e);
    }
  }

  private static <V> V required(V value) {
    return Objects.requireNonNull(value, "value: null (expected: a value; Codec.none() for none)");
  }
}
