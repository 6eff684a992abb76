package dev.once.http.surfaces;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** A client on plain sockets, one for each request: it sees what is sent, and where that ends. */
final class Client {

  /** Far more than anything takes. */
  static final int TIMEOUT_SECONDS = 300;

  private Client() {}

  /**
   * A request by POST.
   *
   * @param key null for none
   * @param chunked whether it says its length piece by piece
   */
  record Request(int port, String path, String key, String id, String body, boolean chunked) {

    Request withBody(String other) {
      return new Request(port, path, key, id, other, chunked);
    }

    Request withKey(String other) {
      return new Request(port, path, other, id, body, chunked);
    }

    Request inChunks() {
      return new Request(port, path, key, id, body, true);
    }

    private byte[] bytes() {
      StringBuilder text = new StringBuilder("POST " + path + " HTTP/1.1\r\n");
      text.append("Host: localhost:").append(port).append("\r\nConnection: close\r\n");
      text.append("Authorization: Bearer suite\r\nContent-Type: text/plain\r\n");
      text.append(Script.CASE).append(": ").append(id).append("\r\n");
      if (key != null) {
        text.append("Idempotency-Key: ").append(key).append("\r\n");
      }
      if (chunked) {
        text.append("Transfer-Encoding: chunked\r\n\r\n");
        text.append(Integer.toHexString(body.length())).append("\r\n").append(body);
        text.append("\r\n0\r\n\r\n");
      } else {
        text.append("Content-Length: ").append(body.length()).append("\r\n\r\n").append(body);
      }
      return text.toString().getBytes(StandardCharsets.ISO_8859_1);
    }
  }

  /**
   * An answer, as far as it came.
   *
   * @param status 0 if nothing came
   * @param fields by their names in lower case
   */
  record Answer(int status, Map<String, String> fields, String body, boolean whole) {}

  static Socket start(Request request) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), request.port());
    socket.setSoTimeout(TIMEOUT_SECONDS * 1000);
    socket.getOutputStream().write(request.bytes());
    return socket;
  }

  static Answer send(Request request) throws IOException {
    try (Socket socket = start(request)) {
      return parse(readAll(socket.getInputStream()));
    }
  }

  /** A connection that is reset ends like one that is closed. */
  private static byte[] readAll(InputStream in) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try {
      in.transferTo(all);
    } catch (java.net.SocketTimeoutException e) {
      throw new AssertionError("answer: none in time, but " + all.size() + " bytes", e);
    } catch (IOException e) {
      // What came before counts.
    }
    return all.toByteArray();
  }

  private static Answer parse(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    int end = text.indexOf("\r\n\r\n");
    if (end < 0) {
      return new Answer(0, Map.of(), "", false);
    }
    String[] lines = text.substring(0, end).split("\r\n", -1);
    Map<String, String> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String line : Arrays.asList(lines).subList(1, lines.length)) {
      int colon = line.indexOf(':');
      fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
    }
    int status = Integer.parseInt(lines[0].split(" ", -1)[1]);
    String rest = text.substring(end + 4);
    if ("chunked".equalsIgnoreCase(fields.get("Transfer-Encoding"))) {
      return chunks(status, fields, rest);
    }
    String length = fields.get("Content-Length");
    boolean whole = length == null || rest.length() == Integer.parseInt(length);
    return new Answer(status, fields, rest, whole);
  }

  private static Answer chunks(int status, Map<String, String> fields, String text) {
    StringBuilder body = new StringBuilder();
    int at = 0;
    while (true) {
      int line = text.indexOf("\r\n", at);
      if (line < 0) {
        return new Answer(status, fields, body.toString(), false);
      }
      int size = Integer.parseInt(text.substring(at, line).strip(), 16);
      if (size == 0) {
        return new Answer(status, fields, body.toString(), true);
      }
      at = line + 2 + size + 2;
      if (at > text.length()) {
        return new Answer(status, fields, body.toString(), false);
      }
      body.append(text, line + 2, line + 2 + size);
    }
  }
}
