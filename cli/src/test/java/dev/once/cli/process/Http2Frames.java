package dev.once.cli.process;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** What a client of HTTP/2 sends, byte by byte. */
final class Http2Frames {

  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int PRIORITY = 2;
  static final int SETTINGS = 4;
  static final int PING = 6;
  static final int WINDOW_UPDATE = 8;
  static final int END_STREAM = 1;
  static final int END_HEADERS = 4;

  private Http2Frames() {}

  /** What opens a connection; the payload is of its settings. */
  static byte[] opening(int... settings) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    byte[] payload = new byte[settings.length];
    for (int i = 0; i < settings.length; i++) {
      payload[i] = (byte) settings[i];
    }
    all.writeBytes(frame(SETTINGS, 0, 0, payload));
    return all.toByteArray();
  }

  static byte[] frame(int type, int flags, int stream, byte... payload) {
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    frame.write(payload.length >> 16);
    frame.write(payload.length >> 8);
    frame.write(payload.length);
    frame.write(type);
    frame.write(flags);
    for (int shift = 24; shift >= 0; shift -= 8) {
      frame.write(stream >> shift);
    }
    frame.writeBytes(payload);
    return frame.toByteArray();
  }

  /** A request; fields take turns with their values. */
  static byte[] request(int stream, boolean ends, String method, String path, String... fields) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    literal(block, ":method", method);
    literal(block, ":scheme", "http");
    literal(block, ":authority", "127.0.0.1");
    literal(block, ":path", path);
    literal(block, "authorization", "a");
    for (int i = 0; i < fields.length; i += 2) {
      literal(block, fields[i], fields[i + 1]);
    }
    return frame(HEADERS, END_HEADERS | (ends ? END_STREAM : 0), stream, block.toByteArray());
  }

  private static void literal(ByteArrayOutputStream block, String name, String value) {
    block.write(0);
    for (String text : new String[] {name, value}) {
      block.write(text.length()); // up to 126
      block.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }
  }

  static byte[] repeat(byte[] bytes, int times) {
    byte[] all = new byte[bytes.length * times];
    for (int i = 0; i < times; i++) {
      System.arraycopy(bytes, 0, all, i * bytes.length, bytes.length);
    }
    return all;
  }
}
