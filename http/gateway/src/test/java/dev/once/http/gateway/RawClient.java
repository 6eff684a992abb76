package dev.once.http.gateway;

import dev.once.core.Header;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLSocket;

/** A client that sends any bytes, and reads answers of HTTP/1. */
final class RawClient implements AutoCloseable {

  /** An answer, its body as Latin-1. */
  record Answer(int status, List<Header> fields, String body) {

    String field(String name) {
      List<String> lines = fields(name);
      return lines.isEmpty() ? null : lines.get(0);
    }

    List<String> fields(String name) {
      return fields.stream()
          .filter(field -> field.name().equalsIgnoreCase(name))
          .map(Header::value)
          .toList();
    }
  }

  private final Socket socket;
  private final InputStream in;

  private RawClient(Socket socket) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(Gate.TIMEOUT_SECONDS * 1000);
    in = new BufferedInputStream(socket.getInputStream());
  }

  RawClient(int port) throws IOException {
    this(new Socket(InetAddress.getLoopbackAddress(), port));
  }

  /** With little room for what it does not read. */
  static RawClient slow(int port) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(4096);
    socket.connect(new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    return new RawClient(socket);
  }

  /** Over TLS, with these protocols on offer; none for a client that knows no ALPN. */
  static RawClient tls(int port, String... protocols) throws IOException, GeneralSecurityException {
    SSLSocket socket =
        (SSLSocket) Certificates.trusting().getSocketFactory().createSocket("localhost", port);
    if (protocols.length > 0) {
      var parameters = socket.getSSLParameters();
      parameters.setApplicationProtocols(protocols);
      socket.setSSLParameters(parameters);
    }
    return new RawClient(socket);
  }

  RawClient send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  RawClient send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  /** Reads one answer; the 100s before it are answers, too. */
  Answer read() throws IOException {
    return read(false);
  }

  /** Reads the answer to a HEAD request. */
  Answer readHead() throws IOException {
    return read(true);
  }

  private Answer read(boolean noBody) throws IOException {
    String status = line();
    List<Header> fields = new ArrayList<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      fields.add(new Header(line.substring(0, colon), line.substring(colon + 1).strip()));
    }
    int code = Integer.parseInt(status.split(" ", -1)[1]);
    Answer head = new Answer(code, fields, "");
    boolean empty = noBody || code < 200 || code == 204 || code == 304;
    return new Answer(code, fields, empty ? "" : body(head));
  }

  private String body(Answer head) throws IOException {
    if ("chunked".equals(head.field("Transfer-Encoding"))) {
      StringBuilder all = new StringBuilder();
      while (true) {
        int size = Integer.parseInt(line(), 16);
        all.append(exactly(size));
        line();
        if (size == 0) {
          return all.toString();
        }
      }
    }
    String length = head.field("Content-Length");
    return length == null
        ? new String(in.readAllBytes(), StandardCharsets.ISO_8859_1)
        : exactly(Integer.parseInt(length));
  }

  String exactly(int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("cut after " + bytes.length + " of " + length + " bytes");
    }
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("closed after '" + line + "'");
      }
      if (next != '\r') {
        line.write(next);
      }
    }
    return line.toString(StandardCharsets.ISO_8859_1);
  }

  /** Waits for the end of the connection; what comes before it is counted. */
  long awaitClose() {
    long bytes = 0;
    try {
      while (in.read() >= 0) {
        bytes++;
      }
    } catch (java.net.SocketTimeoutException e) {
      throw new AssertionError("the connection is still open", e);
    } catch (IOException e) {
      return bytes; // reset: closed as well
    }
    return bytes;
  }

  /** Leaves rudely. */
  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
