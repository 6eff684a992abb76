package dev.once.http.conformance.wire;

import dev.once.http.conformance.Header;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reads one HTTP/1.1 answer from a socket, all of it before a deadline. */
final class RawReader {

  private static final int LONGEST_LINE = 64 * 1024;
  private static final int LONGEST_BODY = LimitedBody.LONGEST;

  /** Of all heads before the body: interim answers may have some. */
  private static final int LONGEST_HEADS = 1024 * 1024;

  private final Socket socket;
  private final InputStream in;
  private final long startedAt = System.nanoTime();
  private final Duration timeout;
  private final byte[] buffer = new byte[8192];
  private int at;
  private int end;
  private int headBytes;

  RawReader(Socket socket, Duration timeout) throws IOException {
    this.socket = socket;
    this.in = socket.getInputStream();
    this.timeout = timeout;
  }

  Reply read() throws IOException {
    int status = status();
    List<Header> headers = headers();
    while (status < 200) {
      status = status();
      headers = headers();
    }
    return new Reply(status, headers, body(headers), elapsed(), false);
  }

  private int status() throws IOException {
    String line = line();
    if (!line.matches("HTTP/1\\.[01] [1-9]\\d\\d( .*)?")) {
      throw new IOException("not an HTTP/1.1 answer");
    }
    return Integer.parseInt(line.substring(9, 12));
  }

  private List<Header> headers() throws IOException {
    List<Header> headers = new ArrayList<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        headers.add(new Header(line.substring(0, colon), line.substring(colon + 1).strip()));
      }
    }
    return headers;
  }

  private byte[] body(List<Header> headers) throws IOException {
    for (Header header : headers) {
      boolean chunked = header.value().toLowerCase(Locale.ROOT).endsWith("chunked");
      if (header.named("Transfer-Encoding") && chunked) {
        return chunks();
      }
      if (header.named("Content-Length") && header.value().matches("\\d{1,9}")) {
        return bytes(Math.min(Integer.parseInt(header.value()), LONGEST_BODY));
      }
    }
    return bytes(LONGEST_BODY);
  }

  private byte[] chunks() throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (body.size() < LONGEST_BODY) {
      String size = line().replaceAll(";.*", "").strip();
      if (!size.matches("[0-9a-fA-F]{1,6}")) {
        throw new IOException("not the size of a chunk");
      }
      int length = Integer.parseInt(size, 16);
      if (length == 0) {
        break;
      }
      body.write(bytes(Math.min(length, LONGEST_BODY)));
      line();
    }
    return body.toByteArray();
  }

  private byte[] bytes(int atMost) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int b = next(atMost - bytes.size()); b != -1; b = next(atMost - bytes.size())) {
      bytes.write(b);
    }
    return bytes.toByteArray();
  }

  private String line() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int b = next(1); b != '\n'; b = next(1)) {
      if (b == -1) {
        throw new EOFException("the answer ended early");
      }
      if (bytes.size() > LONGEST_LINE || headBytes++ > LONGEST_HEADS) {
        throw new LimitedBody.TooLargeException("head");
      }
      bytes.write(b);
    }
    return bytes.toString(StandardCharsets.ISO_8859_1).stripTrailing();
  }

  /** One byte; -1 at the end, or when no more are wanted. The time left is for all of them. */
  private int next(int wanted) throws IOException {
    if (wanted <= 0) {
      return -1;
    }
    if (at == end) {
      long left = timeout.minus(elapsed()).toMillis();
      if (left <= 0) {
        throw new SocketTimeoutException("the answer did not end");
      }
      socket.setSoTimeout((int) Math.min(left, Integer.MAX_VALUE));
      at = 0;
      end = Math.max(in.read(buffer), 0);
      if (end == 0) {
        return -1;
      }
    }
    return buffer[at++] & 0xff;
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - startedAt);
  }
}
