package dev.once.http.gateway;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** A client of HTTP/2 that sends any header block, also one that no library would. */
final class RawHttp2 implements AutoCloseable {

  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int PRIORITY_FRAME = 2;
  static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  static final int PING = 6;
  static final int GOAWAY = 7;
  static final int WINDOW_UPDATE = 8;
  static final int CONTINUATION = 9;
  private static final int LARGEST_FRAME = 16_384;
  static final int END_STREAM = 1;
  static final int END_HEADERS = 4;
  private static final int PRIORITY = 32;

  /** The statuses that HPACK has in its table, by their byte. */
  private static final Map<Integer, String> STATUSES =
      Map.of(0x88, "200", 0x89, "204", 0x8c, "400", 0x8d, "404", 0x8e, "500");

  /** The name is in the table, the value follows. */
  private static final int STATUS_AS_TEXT = 0x48;

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;

  RawHttp2(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(Gate.TIMEOUT_SECONDS * 1000);
    in = new DataInputStream(socket.getInputStream());
    out = socket.getOutputStream();
    out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    frame(SETTINGS, 0, 0, new byte[0]);
  }

  /** Sends a request on a stream. Names and values take turns; null for no body. */
  RawHttp2 request(int stream, String body, String... fields) throws IOException {
    byte[] head = block(fields);
    int first = Math.min(head.length, LARGEST_FRAME);
    int end = body == null ? END_STREAM : 0;
    frame(
        HEADERS,
        end | (first == head.length ? END_HEADERS : 0),
        stream,
        java.util.Arrays.copyOf(head, first));
    for (int at = first; at < head.length; at += LARGEST_FRAME) {
      int to = Math.min(head.length, at + LARGEST_FRAME);
      frame(
          CONTINUATION,
          to == head.length ? END_HEADERS : 0,
          stream,
          java.util.Arrays.copyOfRange(head, at, to));
    }
    if (body != null) {
      frame(DATA, END_STREAM, stream, body.getBytes(StandardCharsets.ISO_8859_1));
    }
    return this;
  }

  /** A header block. Names and values take turns. */
  static byte[] block(String... fields) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    for (int i = 0; i < fields.length; i += 2) {
      block.write(0); // a literal that is not put in the table
      text(block, fields[i]);
      text(block, fields[i + 1]);
    }
    return block.toByteArray();
  }

  private static void text(ByteArrayOutputStream block, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    if (bytes.length < 127) {
      block.write(bytes.length);
    } else {
      block.write(127); // and the rest in groups of seven bits
      int rest = bytes.length - 127;
      while (rest >= 128) {
        block.write((rest & 127) | 128);
        rest >>= 7;
      }
      block.write(rest);
    }
    block.writeBytes(bytes);
  }

  void frame(int type, int flags, int stream, byte[] payload) throws IOException {
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
    out.write(frame.toByteArray());
    out.flush();
  }

  /** Reads up to the next frame of a type, and tells its payload. */
  byte[] await(int wanted) throws IOException {
    while (true) {
      int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      int type = in.readUnsignedByte();
      in.readUnsignedByte();
      in.readInt();
      byte[] payload = in.readNBytes(length);
      if (type == wanted) {
        return payload;
      }
    }
  }

  /** What becomes of the request: a status, "reset" or "closed". */
  String outcome() throws IOException {
    while (true) {
      int length;
      try {
        length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      } catch (java.io.EOFException | java.net.SocketException e) {
        return "closed";
      }
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      in.readInt();
      byte[] payload = in.readNBytes(length);
      if (type == HEADERS) {
        int start = (flags & PRIORITY) == 0 ? 0 : 5;
        int first = Byte.toUnsignedInt(payload[start]);
        if (first == STATUS_AS_TEXT && payload[start + 1] == 3) {
          return new String(payload, start + 2, 3, StandardCharsets.US_ASCII);
        }
        return STATUSES.getOrDefault(first, "status of byte " + first);
      }
      if (type == RST_STREAM) {
        return "reset";
      }
      if (type == GOAWAY) {
        return "closed";
      }
    }
  }

  /** Waits for the end of the connection. */
  void awaitClose() throws IOException {
    while (!outcome().equals("closed")) {
      // Answers and resets are not of interest.
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
