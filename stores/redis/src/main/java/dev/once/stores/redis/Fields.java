package dev.once.stores.redis;

import dev.once.core.Answer;
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
 * state   words with a space after each: format (1), status (p, d or f), fence, attempt, token, and
 *         in milliseconds of the server's clock: requested, lease end, expiry, completed (or 0);
 *         then the fingerprint (33 bytes), then tenant, user, route and key, each with its length
 *         (4 bytes) before it
 * answer  the fingerprint, then the answer as AnswerCodec writes it: all that a replay needs; that
 *         it is there says that the operation has ended
 * </pre>
 */
final class Fields {

  static final byte[] STATE = bytes("state");
  static final byte[] ANSWER = bytes("answer");

  private static final int FINGERPRINT_BYTES = 1 + Fingerprint.HASH_BYTES;
  private static final int WORDS = 9;

  private Fields() {}

  /** What the claim script is given: the fingerprint, four words, and the operation's name. */
  static byte[] claim(ClaimRequest request) {
    OperationId id = request.id();
    byte[] tenant = bytes(id.scope().tenant());
    byte[] user = bytes(id.scope().user());
    byte[] route = bytes(id.scope().route());
    Bytes key = id.key().bytes();
    byte[] words =
        words(
            request.token()
                + " "
                + request.lease().toMillis()
                + " "
                + request.retention().toMillis()
                + (request.takeover() ? " 1 " : " 0 "));
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

  static Claim.Finished finished(byte[] answer) {
    if (answer.length < FINGERPRINT_BYTES) {
      throw new RecordFormatException("record: an answer of " + answer.length + " bytes");
    }
    return new Claim.Finished(
        fingerprint(Arrays.copyOf(answer, FINGERPRINT_BYTES)),
        AnswerCodec.decode(Arrays.copyOfRange(answer, FINGERPRINT_BYTES, answer.length)));
  }

  static OperationRecord record(OperationId id, byte[] state, byte @Nullable [] answer) {
    State known = State.parse(state);
    boolean ended = known.status != 'p';
    Answer decoded = answer == null ? null : finished(answer).answer();
    if (ended != (decoded != null)) {
      throw new RecordFormatException("record: ended without an answer, or has one and has not");
    }
    return new OperationRecord(
        new Lease(id, new Fence(known.fence), known.attempt),
        known.fingerprint,
        decoded == null ? Status.PROCESSING : Status.of(decoded.outcome()),
        Instant.ofEpochMilli(known.requested),
        Instant.ofEpochMilli(known.leaseEnds),
        ended ? Instant.ofEpochMilli(known.completed) : null,
        Instant.ofEpochMilli(known.expires),
        decoded);
  }

  /** The field of that name. */
  record State(
      char status,
      long fence,
      int attempt,
      long requested,
      long leaseEnds,
      long expires,
      long completed,
      Fingerprint fingerprint) {

    static State parse(byte[] field) {
      String text = new String(field, StandardCharsets.ISO_8859_1); // a character for each byte
      String[] words = text.split(" ", WORDS + 1);
      try {
        if (words.length <= WORDS || !words[0].equals("1")) {
          throw new NumberFormatException();
        }
        int from = field.length - words[WORDS].length();
        return new State(
            words[1].charAt(0),
            Long.parseLong(words[2]),
            Integer.parseInt(words[3]),
            Long.parseLong(words[5]),
            Long.parseLong(words[6]),
            Long.parseLong(words[7]),
            Long.parseLong(words[8]),
            Fields.fingerprint(Arrays.copyOfRange(field, from, from + FINGERPRINT_BYTES)));
      } catch (NumberFormatException e) {
        throw new RecordFormatException(
            "record: its state cannot be read; it is damaged, or a newer version of Once wrote it");
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
