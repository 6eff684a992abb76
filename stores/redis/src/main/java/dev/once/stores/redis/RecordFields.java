package dev.once.stores.redis;

import dev.once.core.Bytes;
import dev.once.core.Fence;
import dev.once.core.Fingerprint;
import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.OperationRecord.Status;
import dev.once.core.store.RecordFormatException;
import dev.once.core.store.spi.AnswerCodec;
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
 * state   "1" (the format), the fence (16 digits); in milliseconds of the server's clock, 13 digits
 *         each: when it was requested, and when the lease began; the attempt (6 digits, no more
 *         than 999999); and as the claim sent it: the fingerprint (33 bytes), whether it might take
 *         over (1 or 0), and with a space after each: its token, the lease's length, and how long
 *         after the lease's begin the record expires if it has no answer; then tenant, user, route
 *         and key, each with its length (4 bytes) before it
 * answer  d (done) or f (failed), for how many milliseconds it is kept (13 digits), the answer as
 *         AnswerCodec writes it; as the client sent it. That it is there says that the operation
 *         has ended. Since when is told by when the key expires
 * </pre>
 */
final class RecordFields {

  static final byte[] STATE = bytes("state");
  static final byte[] ANSWER = bytes("answer");

  private static final int FINGERPRINT_BYTES = 1 + Fingerprint.HASH_BYTES;
  private static final int FENCE_DIGITS = 16;
  private static final int TIME_DIGITS = 13;
  private static final int ATTEMPT_DIGITS = 6;
  private static final int WORDS = 3;

  // Where in a state things begin.
  private static final int FENCE = 1;
  private static final int REQUESTED = FENCE + FENCE_DIGITS;
  private static final int BEGAN = REQUESTED + TIME_DIGITS;
  private static final int ATTEMPT = BEGAN + TIME_DIGITS;
  private static final int FINGERPRINT = ATTEMPT + ATTEMPT_DIGITS;
  private static final int TAKEOVER = FINGERPRINT + FINGERPRINT_BYTES;

  private static final int ANSWER_HEAD = 1 + TIME_DIGITS;

  private static final String UNREADABLE =
      "record: its state cannot be read; it is damaged, or a newer version of Once wrote it";

  private RecordFields() {}

  /** As scripts compare it: with as many digits as it will have until 2286. */
  static byte[] fence(Fence fence) {
    return fence(fence.value());
  }

  static byte[] fence(long value) {
    return words(padded(value, FENCE_DIGITS));
  }

  /** For the complete script: how the state of an operation begins that this fence owns. */
  static byte[] owner(Fence fence) {
    return words("1" + padded(fence.value(), FENCE_DIGITS));
  }

  /** The field. */
  static byte[] answer(Status status, Duration retention, byte[] encoded) {
    byte[] head =
        words((status == Status.DONE ? "d" : "f") + padded(retention.toMillis(), TIME_DIGITS));
    byte[] answer = Arrays.copyOf(head, ANSWER_HEAD + encoded.length);
    System.arraycopy(encoded, 0, answer, ANSWER_HEAD, encoded.length);
    return answer;
  }

  static byte[] millis(Duration duration) {
    return words(Long.toString(duration.toMillis()));
  }

  private static String padded(long number, int length) {
    String digits = Long.toString(number);
    return "0".repeat(Math.max(0, length - digits.length())) + digits;
  }

  /** For the claim script: the end of the state that it writes, as it is. */
  static byte[] claim(ClaimRequest request, Duration total) {
    OperationId id = request.id();
    byte[] words =
        words(
            (request.takeover() ? "1" : "0")
                + request.token()
                + " "
                + request.lease().toMillis()
                + " "
                + total.toMillis()
                + " ");
    byte[] tenant = bytes(id.scope().tenant());
    byte[] user = bytes(id.scope().user());
    byte[] route = bytes(id.scope().route());
    Bytes key = id.key().bytes();
    ByteBuffer all =
        ByteBuffer.allocate(
            FINGERPRINT_BYTES
                + words.length
                + 4 * Integer.BYTES
                + tenant.length
                + user.length
                + route.length
                + key.size());
    all.put(request.fingerprint().version()).put(request.fingerprint().hash().asBuffer());
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

  /** The fingerprint in a state. */
  static Fingerprint fingerprintOf(byte[] state) {
    if (state.length < TAKEOVER || state[0] != '1') {
      throw new RecordFormatException(UNREADABLE);
    }
    return fingerprint(Arrays.copyOfRange(state, FINGERPRINT, TAKEOVER));
  }

  /** The fence in a state. */
  static Fence fenceOf(byte[] state) {
    try {
      return new Fence(Long.parseLong(text(state, FENCE, FENCE_DIGITS)));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new RecordFormatException(UNREADABLE);
    }
  }

  static Claim.Finished finished(Fingerprint fingerprint, byte[] answer) {
    if (answer.length < ANSWER_HEAD || (answer[0] != 'd' && answer[0] != 'f')) {
      throw new RecordFormatException("record: an answer of " + answer.length + " bytes");
    }
    return new Claim.Finished(
        fingerprint, AnswerCodec.decode(Arrays.copyOfRange(answer, ANSWER_HEAD, answer.length)));
  }

  /**
   * @param expires in milliseconds
   */
  static OperationRecord record(
      OperationId id, byte[] state, byte @Nullable [] answer, long expires) {
    try {
      return answer == null ? processing(id, state) : ended(id, state, answer, expires);
    } catch (NumberFormatException e) {
      throw new RecordFormatException(UNREADABLE);
    }
  }

  private static OperationRecord processing(OperationId id, byte[] state) {
    String[] words = wordsOf(state);
    Instant began = time(text(state, BEGAN, TIME_DIGITS));
    return new OperationRecord(
        new Lease(
            id,
            new Fence(Long.parseLong(text(state, FENCE, FENCE_DIGITS))),
            Integer.parseInt(text(state, ATTEMPT, ATTEMPT_DIGITS))),
        fingerprintOf(state),
        Status.PROCESSING,
        time(text(state, REQUESTED, TIME_DIGITS)),
        began.plusMillis(Long.parseLong(words[1])),
        null,
        began.plusMillis(Long.parseLong(words[2])),
        null);
  }

  private static OperationRecord ended(OperationId id, byte[] state, byte[] answer, long expires) {
    OperationRecord before = processing(id, state);
    Claim.Finished finished = finished(before.fingerprint(), answer);
    Instant expiresAt = Instant.ofEpochMilli(expires);
    return new OperationRecord(
        before.lease(),
        finished.fingerprint(),
        Status.of(finished.answer().outcome()),
        before.requestedAt(),
        before.leaseEnds(),
        expiresAt.minusMillis(Long.parseLong(text(answer, 1, TIME_DIGITS))),
        expiresAt,
        finished.answer());
  }

  /** Token, lease and total, of a state that is as long as one must be. */
  private static String[] wordsOf(byte[] state) {
    int from = TAKEOVER + 1;
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
