package dev.once.http.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ByteProcessor;
import java.util.List;

/**
 * Reads a chunked body (RFC 9112, 7.1). Extensions are ignored, whatever they are, and trailers are
 * dropped. Lines end with CRLF: here, unlike in a head, LF alone does not do.
 *
 * <p>Instead of Netty's, which refuses {@code 5;a=b}.
 */
final class ChunkedBodyDecoder {

  private static final int LONGEST_LINE = 8 * 1024;
  private static final int LONGEST_PIECE = 8 * 1024;

  /** For sizes; one more digit could be more than a long holds. */
  private static final int MAX_DIGITS = 15;

  private enum Part {
    SIZE,
    DATA,
    END_OF_DATA,
    TRAILERS
  }

  private final int mostTrailers;
  private Part part = Part.SIZE;

  /** What is left of the chunk. */
  private long remaining;

  private int trailers;

  ChunkedBodyDecoder(int mostTrailers) {
    this.mostTrailers = mostTrailers;
  }

  /**
   * Reads what is there.
   *
   * @return whether that was the end of the body; what follows is not part of it
   */
  boolean decode(ByteBuf in, List<Object> out) {
    while (in.isReadable()) {
      switch (part) {
        case SIZE -> {
          if (!readSize(in)) {
            return false;
          }
        }
        case DATA -> {
          int piece = (int) Math.min(remaining, Math.min(in.readableBytes(), LONGEST_PIECE));
          out.add(new DefaultHttpContent(in.readRetainedSlice(piece)));
          remaining -= piece;
          if (remaining == 0) {
            part = Part.END_OF_DATA;
          }
        }
        case END_OF_DATA -> {
          if (in.readableBytes() < 2) {
            return false;
          }
          if (in.readByte() != '\r' || in.readByte() != '\n') {
            throw new BadAnswerException("chunk: longer than its size");
          }
          part = Part.SIZE;
        }
        case TRAILERS -> {
          int length = lineLength(in, mostTrailers - trailers, "trailers");
          if (length < 0) {
            return false;
          }
          trailers += length;
          boolean empty = length == 1 || (length == 2 && in.getByte(in.readerIndex()) == '\r');
          in.skipBytes(length);
          if (empty) {
            out.add(LastHttpContent.EMPTY_LAST_CONTENT);
            return true;
          }
        }
      }
    }
    return false;
  }

  private boolean readSize(ByteBuf in) {
    int length = lineLength(in, LONGEST_LINE, "chunk size");
    if (length < 0) {
      return false;
    }
    int at = in.readerIndex();
    int end = at + length - 2;
    if (length < 2 || in.indexOf(at, at + length, (byte) '\r') != end) {
      throw new BadAnswerException("chunk size: a line end of CR or LF alone (expected: CRLF)");
    }
    remaining = size(in, at, end);
    in.skipBytes(length);
    part = remaining == 0 ? Part.TRAILERS : Part.DATA;
    return true;
  }

  private static long size(ByteBuf in, int start, int end) {
    long size = 0;
    int at = start;
    int digits = 0;
    for (; at < end && Character.digit(in.getByte(at), 16) >= 0; at++) {
      size = size * 16 + Character.digit(in.getByte(at), 16);
      digits += size == 0 ? 0 : 1;
      if (digits > MAX_DIGITS) {
        throw new BadAnswerException("chunk size: over " + MAX_DIGITS + " digits");
      }
    }
    boolean none = at == start;
    while (at < end && (in.getByte(at) == ' ' || in.getByte(at) == '\t')) {
      at++;
    }
    if (none || (at < end && in.getByte(at) != ';')) {
      throw new BadAnswerException("chunk size: not a number (expected: hexadecimal digits)");
    }
    return size;
  }

  /** With its end; -1 if that has not come. */
  private static int lineLength(ByteBuf in, int most, String what) {
    int end = in.forEachByte(ByteProcessor.FIND_LF);
    int length = end < 0 ? in.readableBytes() : end + 1 - in.readerIndex();
    if (length > most) {
      throw new BadAnswerException(what + ": over the limit (expected: <= " + most + " bytes)");
    }
    return end < 0 ? -1 : length;
  }
}
