package dev.once.core.store.spi;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Bytes;
import dev.once.core.Header;
import dev.once.core.Outcome;
import dev.once.core.Policy;
import dev.once.core.store.RecordFormatException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers as the bytes that stores keep.
 *
 * <pre>
 * format   1 byte, 1 (plain) or 2 (compressed); a higher number is from a newer version
 * size     4 bytes, of the plain content; only if compressed
 * content  outcome 1, code 4, header count 2, (name, value) each 4 + UTF-8,
 *          kind of body 1, then the bytes, or size 8 and SHA-256 32, or nothing
 * </pre>
 *
 * Formats are only ever added: each version reads all earlier ones.
 */
public final class AnswerCodec {

  private static final byte PLAIN = 1;
  private static final byte COMPRESSED = 2;

  /** By default. */
  public static final int COMPRESS_FROM = 256;

  /** A body and headers at their limits, with room to spare; a bound for decompression. */
  private static final int MAX_CONTENT = Policy.MAX_STORED_BODY + 1024 * 1024;

  /** What two bytes can count. */
  private static final int MAX_HEADERS = 65_535;

  private static final byte FULL = 0;
  private static final byte DIGEST = 1;
  private static final byte OMITTED = 2;
  private static final int SHA256_BYTES = 32;

  private AnswerCodec() {}

  /** Compressed from {@value #COMPRESS_FROM} bytes on, if that makes it smaller. */
  public static byte[] encode(Answer answer) {
    return encode(answer, COMPRESS_FROM);
  }

  /**
   * {@link #encode(Answer)} for a store to which time is dearer than space.
   *
   * @param compressFrom how many bytes the content must have for it to be compressed
   */
  public static byte[] encode(Answer answer, int compressFrom) {
    byte[] content = content(answer);
    if (content.length >= compressFrom) {
      byte[] compressed = Compression.compress(content, 1 + Integer.BYTES);
      if (compressed.length < content.length) {
        ByteBuffer.wrap(compressed).put(COMPRESSED).putInt(content.length);
        return compressed;
      }
    }
    return ByteBuffer.allocate(1 + content.length).put(PLAIN).put(content).array();
  }

  /**
   * The answer in these bytes.
   *
   * @throws RecordFormatException if the bytes are damaged, or of a newer format
   */
  public static Answer decode(byte[] encoded) {
    try {
      return answer(content(encoded));
    } catch (BufferUnderflowException | IllegalArgumentException | NegativeArraySizeException e) {
      throw new RecordFormatException("answer: damaged, " + encoded.length + " bytes");
    }
  }

  private static byte[] content(Answer answer) {
    if (answer.headers().size() > MAX_HEADERS) {
      throw new IllegalArgumentException(
          "answer: %d headers (expected: at most %d)"
              .formatted(answer.headers().size(), MAX_HEADERS));
    }
    List<byte[]> headers = new ArrayList<>(2 * answer.headers().size());
    int headerBytes = 0;
    for (Header header : answer.headers()) {
      headers.add(header.name().getBytes(StandardCharsets.UTF_8));
      headers.add(header.value().getBytes(StandardCharsets.UTF_8));
    }
    for (byte[] text : headers) {
      headerBytes += Integer.BYTES + text.length;
    }
    ByteBuffer content =
        ByteBuffer.allocate(
            1 + Integer.BYTES + Short.BYTES + headerBytes + 1 + bodyBytes(answer.body()));
    content.put(number(answer.outcome())).putInt(answer.code());
    content.putShort((short) answer.headers().size());
    headers.forEach(text -> content.putInt(text.length).put(text));
    putBody(content, answer.body());
    return content.array();
  }

  private static int bodyBytes(Body body) {
    if (body instanceof Body.Full full) {
      return full.bytes().size();
    }
    return body instanceof Body.Digest ? Long.BYTES + SHA256_BYTES : 0;
  }

  private static void putBody(ByteBuffer content, Body body) {
    if (body instanceof Body.Full full) {
      content.put(FULL).put(full.bytes().asBuffer());
    } else if (body instanceof Body.Digest digest) {
      content.put(DIGEST).putLong(digest.size()).put(digest.sha256().asBuffer());
    } else {
      content.put(OMITTED);
    }
  }

  private static ByteBuffer content(byte[] encoded) {
    ByteBuffer buffer = ByteBuffer.wrap(encoded);
    byte format = buffer.get();
    return switch (format) {
      case PLAIN -> buffer;
      case COMPRESSED -> {
        int size = buffer.getInt();
        if (size < 0 || size > MAX_CONTENT) {
          throw new RecordFormatException(
              "answer: " + size + " bytes when decompressed (expected: 0 to " + MAX_CONTENT + ")");
        }
        yield ByteBuffer.wrap(Compression.decompress(encoded, buffer.position(), size));
      }
      default ->
          throw new RecordFormatException(
              "answer: format "
                  + format
                  + " (expected: 1 or 2); a newer version of Once wrote it, use that version");
    };
  }

  private static Answer answer(ByteBuffer content) {
    Outcome outcome = outcome(content.get());
    int code = content.getInt();
    int count = Short.toUnsignedInt(content.getShort());
    List<Header> headers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      headers.add(new Header(text(content), text(content)));
    }
    return new Answer(outcome, code, headers, body(content));
  }

  private static Body body(ByteBuffer content) {
    byte kind = content.get();
    return switch (kind) {
      case FULL -> new Body.Full(bytes(content, content.remaining()));
      case DIGEST -> new Body.Digest(content.getLong(), bytes(content, SHA256_BYTES));
      case OMITTED -> new Body.Omitted();
      default -> throw new IllegalArgumentException("kind of body: " + kind);
    };
  }

  private static String text(ByteBuffer content) {
    return bytes(content, content.getInt()).toUtf8();
  }

  private static Bytes bytes(ByteBuffer content, int size) {
    if (size > content.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[size];
    content.get(bytes);
    return Bytes.wrap(bytes);
  }

  private static byte number(Outcome outcome) {
    return switch (outcome) {
      case SUCCESS -> 0;
      case REJECTION -> 1;
      case FAILURE -> 2;
    };
  }

  private static Outcome outcome(byte number) {
    return switch (number) {
      case 0 -> Outcome.SUCCESS;
      case 1 -> Outcome.REJECTION;
      case 2 -> Outcome.FAILURE;
      default -> throw new IllegalArgumentException("outcome: " + number);
    };
  }
}
