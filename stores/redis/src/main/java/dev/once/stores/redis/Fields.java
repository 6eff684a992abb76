package dev.once.stores.redis;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.Fingerprint;
import dev.once.core.Lease;
import dev.once.core.OperationId;
import dev.once.core.store.AnswerCodec;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.OperationRecord.Status;
import dev.once.core.store.RecordFormatException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A record is a hash of four fields, so few because each costs Redis some 60 bytes:
 *
 * <pre>
 * request  the fingerprint
 * state    text: format (1), status (p, d or f), fence, attempt, token, then in milliseconds of the
 *          server's clock: requested, lease end, expiry and, unless processing, completed
 * name     tenant, user, route and key, each with its length (4 bytes) before it
 * answer   as AnswerCodec writes it; its presence says that the operation has ended
 * </pre>
 */
final class Fields {

  static final byte[] REQUEST = bytes("request");
  static final byte[] STATE = bytes("state");
  static final byte[] ANSWER = bytes("answer");

  private static final int STATE_WORDS = 8;

  private Fields() {}

  static byte[] name(OperationId id) {
    byte[][] parts = {
      bytes(id.scope().tenant()),
      bytes(id.scope().user()),
      bytes(id.scope().route()),
      id.key().bytes().toArray()
    };
    int size = 0;
    for (byte[] part : parts) {
      size += Integer.BYTES + part.length;
    }
    ByteBuffer name = ByteBuffer.allocate(size);
    for (byte[] part : parts) {
      name.putInt(part.length).put(part);
    }
    return name.array();
  }

  static Fingerprint fingerprint(byte @Nullable [] encoded) {
    try {
      return Fingerprint.decode(encoded == null ? new byte[0] : encoded);
    } catch (IllegalArgumentException e) {
      throw new RecordFormatException("record: " + e.getMessage());
    }
  }

  static OperationRecord record(
      OperationId id, byte @Nullable [] request, byte[] state, byte @Nullable [] answer) {
    State known = State.parse(state);
    boolean ended = known.status != 'p';
    Answer decoded = answer == null ? null : AnswerCodec.decode(answer);
    if (ended != (decoded != null)) {
      throw new RecordFormatException("record: ended without an answer, or has one and has not");
    }
    return new OperationRecord(
        new Lease(id, new Fence(known.fence), known.attempt),
        fingerprint(request),
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
      long completed) {

    static State parse(byte[] field) {
      String[] words = new String(field, StandardCharsets.US_ASCII).split(" ", -1);
      try {
        if (words.length < STATE_WORDS || !words[0].equals("1")) {
          throw new NumberFormatException();
        }
        return new State(
            words[1].charAt(0),
            Long.parseLong(words[2]),
            Integer.parseInt(words[3]),
            Long.parseLong(words[5]),
            Long.parseLong(words[6]),
            Long.parseLong(words[7]),
            words.length > STATE_WORDS ? Long.parseLong(words[8]) : 0);
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
