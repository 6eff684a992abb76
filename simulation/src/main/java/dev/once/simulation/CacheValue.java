package dev.once.simulation;

import dev.once.core.Answer;
import dev.once.core.Bytes;
import dev.once.core.Fingerprint;
import dev.once.core.store.spi.AnswerCodec;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a cache keeps, read as the tiered stores write it.
 *
 * @param leaseRemaining zero unless it is busy
 * @param answer null unless it is finished
 */
record CacheValue(Rank rank, Bytes bytes, Duration leaseRemaining, @Nullable Answer answer) {

  /** By the first byte; of two values the higher one stays. */
  enum Rank {
    NONE,
    BUSY,
    FREE,
    FINISHED,
    RELEASED
  }

  private static final int HEAD = 2 + 1 + Fingerprint.HASH_BYTES;

  static CacheValue of(Bytes bytes) {
    ByteBuffer buffer = bytes.asBuffer();
    Rank rank = Rank.values()[buffer.get()];
    return switch (rank) {
      case BUSY -> new CacheValue(rank, bytes, Duration.ofMillis(buffer.getLong(HEAD)), null);
      case FINISHED -> {
        byte[] answer = new byte[buffer.limit() - HEAD];
        buffer.get(HEAD, answer);
        yield new CacheValue(rank, bytes, Duration.ZERO, AnswerCodec.decode(answer));
      }
      default -> new CacheValue(rank, bytes, Duration.ZERO, null);
    };
  }

  /** Small enough for a cache that has no room. */
  boolean isMark() {
    return bytes.size() <= 2;
  }

  @Override
  public String toString() {
    return switch (rank) {
      case BUSY -> "busy, " + leaseRemaining.toMillis() + " ms left";
      case FINISHED -> "finished " + (answer == null ? "" : answer.code());
      default -> rank.name().toLowerCase(Locale.ROOT);
    };
  }
}
