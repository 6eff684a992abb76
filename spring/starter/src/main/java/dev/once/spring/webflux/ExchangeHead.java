package dev.once.spring.webflux;

import dev.once.http.semantics.RequestHead;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;

/** A WebFlux request, as the rules see it. */
record ExchangeHead(ServerHttpRequest request) implements RequestHead {

  @Override
  public String method() {
    return request.getMethod().name();
  }

  @Override
  public String path() {
    return request.getURI().getRawPath();
  }

  @Override
  public @Nullable String query() {
    return request.getURI().getRawQuery();
  }

  /** Only by what HttpHeaders has under the same signature in Spring 6 and 7. */
  @Override
  public List<String> headers(String name) {
    List<String> lines = new ArrayList<>();
    HttpHeaders headers = request.getHeaders();
    for (Map.Entry<String, List<String>> header : headers.headerSet()) {
      if (header.getKey().equalsIgnoreCase(name)) {
        lines.addAll(header.getValue());
      }
    }
    return lines;
  }

  @Override
  public @Nullable String header(String name) {
    return request.getHeaders().getFirst(name);
  }

  /** HTTP/2 does not say so in a header: there may be one, unless it says that there is none. */
  @Override
  public boolean hasBody() {
    String length = header("Content-Length");
    if (length != null) {
      return !length.strip().equals("0");
    }
    return header("Transfer-Encoding") != null || isHttp2();
  }

  private boolean isHttp2() {
    return header("x-http2-stream-id") != null;
  }

  @Override
  public @Nullable String client() {
    InetSocketAddress address = request.getRemoteAddress();
    return address == null ? null : address.getHostString();
  }
}
