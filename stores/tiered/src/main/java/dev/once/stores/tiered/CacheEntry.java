package dev.once.stores.tiered;

import dev.once.core.Answer;
import dev.once.core.Bytes;
import dev.once.core.Fingerprint;
import dev.once.core.store.Claim;
import dev.once.core.store.RecordFormatException;
import dev.once.core.store.spi.AnswerCodec;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;

/**
 * What the cache is told about an operation.
 *
 * <pre>
 * rank         1 byte: 1 busy, 2 free, 3 finished, 4 released; see {@link dev.once.core.store.Cache}
 * format       1 byte, 1
 * fingerprint  33 bytes; of busy and finished
 * then         busy: what was left of the lease, 8 bytes, in milliseconds
 *              finished: the answer, as {@link AnswerCodec} writes it
 * </pre>
 */
sealed interface CacheEntry {

  /** The database said so a moment ago. */
  record Busy(Fingerprint fingerprint, Duration leaseRemaining) implements CacheEntry {}

  /** It was released a moment ago: whoever still says that it runs comes late. */
  record Free() implements CacheEntry {}

  /** It has ended, with this answer. */
  record Finished(Fingerprint fingerprint, Answer answer) implements CacheEntry {}

  /** A person released it: whoever still says that it has ended comes late. */
  record Released() implements CacheEntry {}

  /** What is to be said to a claim without asking the database; empty if that has to be asked. */
  default Optional<Claim> reply() {
    if (this instanceof Finished finished) {
      return Optional.of(new Claim.Finished(finished.fingerprint(), finished.answer()));
    }
    if (this instanceof Busy busy) {
      return Optional.of(new Claim.Busy(busy.fingerprint(), busy.leaseRemaining()));
    }
    return Optional.empty();
  }

  /** The bytes that the cache keeps. */
  default Bytes encoded() {
    if (this instanceof Busy busy) {
      byte[] left =
          ByteBuffer.allocate(Long.BYTES).putLong(busy.leaseRemaining().toMillis()).array();
      return encoded(Format.BUSY, busy.fingerprint(), left);
    }
    if (this instanceof Finished finished) {
      return encoded(
          Format.FINISHED, finished.fingerprint(), AnswerCodec.encode(finished.answer()));
    }
    byte rank = this instanceof Free ? Format.FREE : Format.RELEASED;
    return Bytes.wrap(new byte[] {rank, Format.CURRENT});
  }

  private static Bytes encoded(byte rank, Fingerprint fingerprint, byte[] rest) {
    Bytes asked = fingerprint.encoded();
    ByteBuffer value = ByteBuffer.allocate(2 + asked.size() + rest.length);
    value.put(rank).put(Format.CURRENT).put(asked.asBuffer()).put(rest);
    return Bytes.wrap(value.array());
  }

  /** The entry in these bytes; empty if they cannot be read, for the database can be. */
  static Optional<CacheEntry> decode(Bytes value) {
    try {
      return decode(value.asBuffer());
    } catch (BufferUnderflowException | IllegalArgumentException | RecordFormatException e) {
      return Optional.empty();
    }
  }

  private static Optional<CacheEntry> decode(ByteBuffer value) {
    byte rank = value.get();
    if (value.get() != Format.CURRENT) {
      return Optional.empty();
    }
    return switch (rank) {
      case Format.BUSY ->
          Optional.of(new Busy(fingerprint(value), Duration.ofMillis(value.getLong())));
      case Format.FREE -> Optional.of(new Free());
      case Format.FINISHED ->
          Optional.of(
              new Finished(
                  fingerprint(value), AnswerCodec.decode(bytes(value, value.remaining()))));
      case Format.RELEASED -> Optional.of(new Released());
      default -> Optional.empty();
    };
  }

  private static Fingerprint fingerprint(ByteBuffer value) {
    return Fingerprint.decode(bytes(value, 1 + Fingerprint.HASH_BYTES));
  }

  private static byte[] bytes(ByteBuffer value, int size) {
    byte[] bytes = new byte[size];
    value.get(bytes);
    return bytes;
  }

  /** The ranks, and the format that is written. */
  final class Format {
    static final byte BUSY = 1;
    static final byte FREE = 2;
    static final byte FINISHED = 3;
    static final byte RELEASED = 4;
    static final byte CURRENT = 1;

    private Format() {}
  }
}
