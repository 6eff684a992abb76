package dev.once.cli;

import dev.once.core.Bytes;
import dev.once.core.Header;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Reads a request as it goes over the wire: a request line, headers, an empty line, and the body.
 * Lines may end in LF alone, as they do in files.
 */
final class RequestText {

  private final byte[] bytes;
  private int at;

  private RequestText(byte[] bytes) {
    this.bytes = bytes;
  }

  static RawRequest parse(byte[] bytes) {
    return new RequestText(bytes).request();
  }

  static Header header(String line) {
    int colon = line.indexOf(':');
    if (colon < 1 || line.substring(0, colon).contains(" ")) {
      throw new UsageException("header: '" + line + "' (expected: Name: value)");
    }
    return new Header(line.substring(0, colon), line.substring(colon + 1).strip());
  }

  private RawRequest request() {
    String first = line();
    String[] words = first.split(" ", -1);
    boolean isRequest =
        words.length == 2
            || (words.length == 3 && words[2].toUpperCase(Locale.ROOT).startsWith("HTTP/"));
    if (!isRequest || words[0].isEmpty()) {
      throw new UsageException(
          "request line: '" + first + "' (expected: such as POST /payments HTTP/1.1)");
    }
    List<Header> headers = new ArrayList<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      headers.add(header(line));
    }
    RawRequest head = new RawRequest(words[0], RawRequest.target(words[1]), headers, Bytes.EMPTY);
    return new RawRequest(head.method(), head.target(), headers, body(head));
  }

  /** The next line, without its end; empty at the end of all. */
  private String line() {
    int start = at;
    while (at < bytes.length && bytes[at] != '\n') {
      at++;
    }
    int end = at > start && at <= bytes.length && bytes[at - 1] == '\r' ? at - 1 : at;
    at++;
    return new String(bytes, start, end - start, StandardCharsets.ISO_8859_1);
  }

  private Bytes body(RawRequest head) {
    byte[] rest = at < bytes.length ? Arrays.copyOfRange(bytes, at, bytes.length) : new byte[0];
    if (head.header("Transfer-Encoding") != null) {
      throw new UsageException(
          "Transfer-Encoding: %s (expected: none; the body as it is, with a Content-Length or to the"
                  .formatted(head.header("Transfer-Encoding"))
              + " end of the input)");
    }
    String length = head.header("Content-Length");
    if (length == null) {
      return Bytes.wrap(rest);
    }
    if (!length.matches("\\d{1,9}") || Integer.parseInt(length) > rest.length) {
      throw new UsageException(
          "Content-Length: %s (expected: at most %d, what there is; or no such header)"
              .formatted(length, rest.length));
    }
    // Editors end a file with a line end that is not part of the body.
    return Bytes.wrap(Arrays.copyOf(rest, Integer.parseInt(length)));
  }
}
