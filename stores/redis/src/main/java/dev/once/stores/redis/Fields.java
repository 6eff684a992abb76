package dev.once.stores.redis;

import dev.once.core.Bytes;
import dev.once.core.Fence;
import dev.once.core.Fingerprint;
import dev.once.core.Lease;
import dev.once.core.OperationId;
import dev.once.core.store.AnswerCodec;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.OperationRecord.Status;
import dev.once.core.store.RecordFormatException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A record is a hash of two fields, so few because each costs Redis some 60 bytes:
 *
 * <pre>
 * state   "1" (the format), the fingerprint (33 bytes), the fence (16 digits), and after a space
 *         each: attempt, token, and in milliseconds of the server's clock: requested, and the
 *         lease's start; its length; how long after that start it expires if it does not end; then
 *         tenant, user, route and key, each with its length (4 bytes) before it
 * answer  the fingerprint, d (done) or f (failed), for how long it is kept and since when (13
 *         digits each), the answer as AnswerCodec writes it. All that a replay needs; that it is
 *         there says that the operation has ended
 * </pre>
 */
final class Fields {

  static final byte[] STATE = bytes("state");
  static final byte[] ANSWER = bytes("answer");

  static final byte[] YES = {'1'};
  static final byte[] NO = {'0'};

  private static final int FINGERPRINT_BYTES = 1 + Fingerprint.HASH_BYTES;
  private static final int FENCE_DIGITS = 16;
  private static final int TIME_DIGITS = 13;
  private static final int WORDS = 6;
  private static final int ANSWER_HEAD = FINGERPRINT_BYTES + 1 + 2 * TIME_DIGITS;

  private Fields() {}

  /** As scripts compare it: with as many digits as it will have until 2286. */
  static byte[] fence(Fence fence) {
    return words(padded(fence.value(), FENCE_DIGITS));
  }

  /** What the complete script puts before an answer. */
  static byte[] ending(Status status, Duration retention) {
    return words((status == Status.DONE ? "d" : "f") + padded(retention.toMillis(), TIME_DIGITS));
  }

  static byte[] millis(Duration duration) {
    return words(Long.toString(duration.toMillis()));
  }

  private static String padded(long number, int length) {
    String digits = Long.toString(number);
    return "0".repeat(Math.max(0, length - digits.length())) + digits;
  }

  /** What the claim script is given. */
  static byte[][] claim(ClaimRequest request) {
    Duration total = request.lease().plus(request.retention());
    return new byte[][] {
      request.fingerprint().encoded().toArray(),
      words(Long.toString(request.token())),
      tail(request.lease(), total, request.id()),
      millis(total),
      request.takeover() ? YES : NO
    };
  }

  /** The end of a state, which is the same at every attempt: two lengths, and the name. */
  private static byte[] tail(Duration lease, Duration total, OperationId id) {
    byte[] words = words(" " + lease.toMillis() + " " + total.toMillis() + " ");
    byte[] tenant = bytes(id.scope().tenant());
    byte[] user = bytes(id.scope().user());
    byte[] route = bytes(id.scope().route());
    Bytes key = id.key().bytes();
    ByteBuffer all =
        ByteBuffer.allocate(
            words.length
                + 4 * Integer.BYTES
                + tenant.length
                + user.length
                + route.length
                + key.size());
    all.put(words);
    all.putInt(tenant.length).put(tenant);
    all.putInt(user.length).put(user);
    all.putInt(route.length).put(route);
    return all.putInt(key.size()).put(key.asBuffer()).array();
  }

  /** Words are ASCII. */
  static byte[] words(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  static Fingerprint fingerprint(byte[] encoded) {
    try {
      return Fingerprint.decode(encoded);
    } catch (IllegalArgumentException e) {
      throw new RecordFormatException("record: " + e.getMessage());
    }
  }

  static Claim.Finished finished(byte[] answer) {
    if (answer.length < ANSWER_HEAD) {
      throw new RecordFormatException("record: an answer of " + answer.length + " bytes");
    }
    return new Claim.Finished(
        fingerprint(Arrays.copyOf(answer, FINGERPRINT_BYTES)),
        AnswerCodec.decode(Arrays.copyOfRange(answer, ANSWER_HEAD, answer.length)));
  }

  static OperationRecord record(OperationId id, byte[] state, byte @Nullable [] answer) {
    try {
      return answer == null ? processing(id, state) : ended(id, state, finished(answer), answer);
    } catch (NumberFormatException e) {
      throw new RecordFormatException(
          "record: its state cannot be read; it is damaged, or a newer version of Once wrote it");
    }
  }

  private static OperationRecord processing(OperationId id, byte[] state) {
    String[] words = wordsOf(state);
    return new OperationRecord(
        new Lease(id, fenceOf(state), Integer.parseInt(words[0])),
        fingerprint(Arrays.copyOfRange(state, 1, 1 + FINGERPRINT_BYTES)),
        Status.PROCESSING,
        time(words[2]),
        time(words[3]).plusMillis(Long.parseLong(words[4])),
        null,
        time(words[3]).plusMillis(Long.parseLong(words[5])),
        null);
  }

  private static OperationRecord ended(
      OperationId id, byte[] state, Claim.Finished finished, byte[] answer) {
    OperationRecord before = processing(id, state);
    int kept = FINGERPRINT_BYTES + 1;
    Instant completed = time(text(answer, kept + TIME_DIGITS, TIME_DIGITS));
    return new OperationRecord(
        before.lease(),
        finished.fingerprint(),
        Status.of(finished.answer().outcome()),
        before.requestedAt(),
        before.leaseEnds(),
        completed,
        completed.plusMillis(Long.parseLong(text(answer, kept, TIME_DIGITS))),
        finished.answer());
  }

  private static Fence fenceOf(byte[] state) {
    return new Fence(Long.parseLong(text(state, 1 + FINGERPRINT_BYTES, FENCE_DIGITS)));
  }

  private static String[] wordsOf(byte[] state) {
    int from = 1 + FINGERPRINT_BYTES + FENCE_DIGITS + 1;
    if (state.length <= from || state[0] != '1') {
      throw new NumberFormatException();
    }
    String[] words = text(state, from, state.length - from).split(" ", WORDS + 1);
    if (words.length <= WORDS) {
      throw new NumberFormatException();
    }
    return words;
  }

  /** A character for each byte. */
  private static String text(byte[] field, int from, int length) {
    return new String(field, from, length, StandardCharsets.ISO_8859_1);
  }

  private static Instant time(String millis) {
    return Instant.ofEpochMilli(Long.parseLong(millis));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
