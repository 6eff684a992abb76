package dev.once.benchmarks.soak;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;

/** HTTP/2 down to the bytes: what a client library would not send. */
final class Frames {

  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  static final int PING = 6;
  static final int GO_AWAY = 7;
  static final int WINDOW_UPDATE = 8;
  static final int CONTINUATION = 9;

  static final int END_STREAM = 1;
  static final int END_HEADERS = 4;

  static final int LONGEST = 16_384;

  private Frames() {}

  static Buffer frame(int type, int flags, int stream, Buffer payload) {
    return Buffer.buffer(9 + payload.length())
        .appendMedium(payload.length())
        .appendByte((byte) type)
        .appendByte((byte) flags)
        .appendInt(stream)
        .appendBuffer(payload);
  }

  /** How a client begins; the window is what each answer may send before it is asked for more. */
  static Buffer preface(int window) {
    Buffer settings = Buffer.buffer().appendShort((short) 4).appendInt(window);
    return Buffer.buffer("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        .appendBuffer(frame(SETTINGS, 0, 0, settings));
  }

  static Buffer ping() {
    return frame(PING, 0, 0, Buffer.buffer("pingpong"));
  }

  static Buffer settings() {
    return frame(SETTINGS, 0, 0, Buffer.buffer().appendShort((short) 3).appendInt(100));
  }

  static Buffer reset(int stream) {
    return frame(RST_STREAM, 0, stream, Buffer.buffer().appendInt(8));
  }

  static Buffer headers(int stream, boolean end, Buffer block) {
    return frame(HEADERS, END_HEADERS | (end ? END_STREAM : 0), stream, block);
  }

  static Buffer data(int stream, Buffer bytes) {
    return frame(DATA, 0, stream, bytes);
  }

  /** The head of a request; key may be empty. */
  static Buffer head(String method, String path, String key) {
    Buffer block = Buffer.buffer();
    block.appendByte((byte) 0x86); // :scheme http
    literal(block, ":method", method);
    literal(block, ":path", path);
    literal(block, ":authority", "gateway");
    literal(block, "authorization", "Bearer attacker");
    if (!key.isEmpty()) {
      literal(block, "idempotency-key", key);
    }
    return block;
  }

  /** A field that is not put into the peer's table. */
  static Buffer literal(Buffer block, String name, String value) {
    block.appendByte((byte) 0);
    text(block, name);
    text(block, value);
    return block;
  }

  private static void text(Buffer block, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    int rest = bytes.length - 127;
    if (rest < 0) {
      block.appendByte((byte) bytes.length);
    } else {
      block.appendByte((byte) 127);
      for (; rest >= 128; rest >>= 7) {
        block.appendByte((byte) ((rest & 127) | 128));
      }
      block.appendByte((byte) rest);
    }
    block.appendBytes(bytes);
  }
}
