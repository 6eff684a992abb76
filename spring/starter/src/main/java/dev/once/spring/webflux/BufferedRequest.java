package dev.once.spring.webflux;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.http.HttpCookie;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.http.server.reactive.SslInfo;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import reactor.core.publisher.Flux;

/**
 * A request that outlives its client. What it says is read at once: when the client has left, the
 * handler goes on, and Tomcat gives the object, with its live header fields, to another request.
 * Its body is the one that was read to know what it asks.
 */
final class BufferedRequest extends ServerHttpRequestDecorator {

  private final HttpHeaders headers;
  private final MultiValueMap<String, HttpCookie> cookies;
  private final @Nullable InetSocketAddress localAddress;
  private final @Nullable InetSocketAddress remoteAddress;
  private final @Nullable SslInfo sslInfo;
  private final DataBufferFactory buffers;
  private volatile byte @Nullable [] body;

  /** To be made while the server still waits for an answer. */
  BufferedRequest(ServerHttpRequest request, DataBufferFactory buffers) {
    super(request);
    HttpHeaders copy = new HttpHeaders();
    request.getHeaders().forEach(copy::addAll);
    this.headers = HttpHeaders.readOnlyHttpHeaders(copy);
    this.cookies = new LinkedMultiValueMap<>(request.getCookies());
    this.localAddress = request.getLocalAddress();
    this.remoteAddress = request.getRemoteAddress();
    this.sslInfo = request.getSslInfo();
    this.buffers = buffers;
  }

  void keep(byte[] read) {
    body = read;
  }

  @Override
  public Flux<DataBuffer> getBody() {
    byte[] kept = body;
    if (kept == null) {
      return super.getBody();
    }
    return kept.length == 0
        ? Flux.empty()
        : Flux.defer(() -> Flux.just(buffers.wrap(kept.clone())));
  }

  @Override
  public HttpHeaders getHeaders() {
    return headers;
  }

  @Override
  public MultiValueMap<String, HttpCookie> getCookies() {
    return cookies;
  }

  @Override
  public @Nullable InetSocketAddress getLocalAddress() {
    return localAddress;
  }

  @Override
  public @Nullable InetSocketAddress getRemoteAddress() {
    return remoteAddress;
  }

  @Override
  public @Nullable SslInfo getSslInfo() {
    return sslInfo;
  }
}
