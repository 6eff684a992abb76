package dev.once.http.conformance.wire;

import dev.once.http.conformance.Header;
import dev.once.http.conformance.Target.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * Sends a request over a plain HTTP/1.1 connection of its own, byte for byte as it stands, UTF-8 in
 * header fields included, which the JDK's client refuses to send.
 */
public final class RawWire {

  private final Transport transport;

  public RawWire(Transport transport) {
    this.transport = transport;
  }

  public Exchange send(Request request) throws NoAnswerException {
    try (Socket socket = open(request.uri())) {
      socket.getOutputStream().write(bytes(request));
      socket.getOutputStream().flush();
      return new Exchange(request, new RawReader(socket, transport.requestTimeout()).read());
    } catch (SocketTimeoutException e) {
      throw new NoAnswerException(request, "no answer in time", e);
    } catch (LimitedBody.TooLargeException e) {
      throw new NoAnswerException(request, "sent too much, " + e.getMessage(), e);
    } catch (IOException e) {
      throw new NoAnswerException(request, "connection lost: " + e.getMessage(), e);
    }
  }

  private Socket open(URI uri) throws IOException {
    boolean tls = "https".equalsIgnoreCase(uri.getScheme());
    int port = uri.getPort() != -1 ? uri.getPort() : tls ? 443 : 80;
    String host = uri.getHost().replaceAll("[\\[\\]]", "");
    Socket socket = new Socket();
    try {
      socket.connect(
          new InetSocketAddress(host, port), (int) transport.connectTimeout().toMillis());
      return tls ? secured(socket, host, port) : socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private Socket secured(Socket socket, String host, int port) throws IOException {
    SSLSocket secured =
        (SSLSocket)
            TrustedCertificates.context(transport.insecure())
                .getSocketFactory()
                .createSocket(socket, host, port, true);
    SSLParameters parameters = secured.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    secured.setSSLParameters(parameters);
    return secured;
  }

  private static byte[] bytes(Request request) {
    URI uri = request.uri();
    String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    int length = request.body().getBytes(StandardCharsets.UTF_8).length;
    List<Header> headers = new ArrayList<>();
    headers.add(new Header("Host", uri.getRawAuthority()));
    headers.addAll(request.headers());
    headers.addAll(request.keys());
    headers.add(new Header("Content-Length", Integer.toString(length)));
    headers.add(new Header("Connection", "close"));
    StringBuilder text = new StringBuilder();
    text.append(request.method()).append(' ').append(path).append(query).append(" HTTP/1.1\r\n");
    headers.forEach(header -> text.append(header).append("\r\n"));
    return text.append("\r\n").append(request.body()).toString().getBytes(StandardCharsets.UTF_8);
  }
}
