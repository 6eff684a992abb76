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
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A record is a hash of two fields, so few because each costs Redis some 60 bytes:
 *
 * <pre>
 * state   "1" (the format), the fingerprint (33 bytes), the fence (16 digits), and after a space
 *         each: attempt, token, and in milliseconds of the server's clock: requested, lease end,
 *         expiry if it does not end; then tenant, user, route and key, each with its length (4
 *         bytes) before it
 * answer  the fingerprint, d (done) or f (failed), when it was completed and when it expires (13
 *         digits each), the answer as AnswerCodec writes it. All that a replay needs; that it is
 *         there says that the operation has ended
 * </pre>
 */
final class Fields {

  static final byte[] STATE = bytes("state");
  static final byte[] ANSWER = bytes("answer");

  private static final int FINGERPRINT_BYTES = 1 + Fingerprint.HASH_BYTES;
  private static final int FENCE_DIGITS = 16;
  private static final int TIME_DIGITS = 13;
  private static final int WORDS = 5;
  private static final int ANSWER_HEAD = FINGERPRINT_BYTES + 1 + 2 * TIME_DIGITS;

  private Fields() {}

  /** As scripts compare it: with as many digits as it will have until 2286. */
  static byte[] fence(Fence fence) {
    String digits = Long.toString(fence.value());
    return words("0".repeat(Math.max(0, FENCE_DIGITS - digits.length())) + digits);
  }

  /** What the claim script is given: four words, the fingerprint, and the operation's name. */
  static byte[] claim(ClaimRequest request) {
    OperationId id = request.id();
    byte[] tenant = bytes(id.scope().tenant());
    byte[] user = bytes(id.scope().user());
    byte[] route = bytes(id.scope().route());
    Bytes key = id.key().bytes();
    byte[] words =
        words(
            request.lease().toMillis()
                + " "
                + (request.lease().toMillis() + request.retention().toMillis())
                + (request.takeover() ? " 1 " : " 0 ")
                + request.token()
                + " ");
    ByteBuffer all =
        ByteBuffer.allocate(
            FINGERPRINT_BYTES
                + words.length
                + 4 * Integer.BYTES
                + tenant.length
                + user.length
                + route.length
                + key.size());
    all.put(words);
    all.put(request.fingerprint().version()).put(request.fingerprint().hash().asBuffer());
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
        time(words[3]),
        null,
        time(words[4]),
        null);
  }

  private static OperationRecord ended(
      OperationId id, byte[] state, Claim.Finished finished, byte[] answer) {
    OperationRecord before = processing(id, state);
    int times = FINGERPRINT_BYTES + 1;
    return new OperationRecord(
        before.lease(),
        finished.fingerprint(),
        Status.of(finished.answer().outcome()),
        before.requestedAt(),
        before.leaseEnds(),
        time(text(answer, times, TIME_DIGITS)),
        time(text(answer, times + TIME_DIGITS, TIME_DIGITS)),
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
