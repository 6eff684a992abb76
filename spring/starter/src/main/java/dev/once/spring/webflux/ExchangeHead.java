package dev.once.spring.webflux;

import dev.once.http.semantics.RequestHead;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.ClassUtils;

/** A WebFlux request, as the rules see it. */
record ExchangeHead(ServerHttpRequest request) implements RequestHead {

  private static final boolean HAS_SERVLETS =
      ClassUtils.isPresent(
          "jakarta.servlet.http.HttpServletRequest", ExchangeHead.class.getClassLoader());

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

  /** HTTP/2 has it in another place, and Tomcat does not show that as a header. */
  @Override
  public @Nullable String host() {
    String host = header("Host");
    return host == null ? request.getURI().getHost() : host;
  }

  /** HTTP/2 does not say so in a header: there may be one, unless it says that there is none. */
  @Override
  public boolean hasBody() {
    String length = header("Content-Length");
    if (length != null) {
      return !length.strip().equals("0");
    }
    return header("Transfer-Encoding") != null || !isHttp1();
  }

  /** Netty says so in a header of its own, Tomcat by its request; of others nobody knows. */
  private boolean isHttp1() {
    Object served = ServerHttpRequestDecorator.getNativeRequest(request);
    if (served.getClass().getName().startsWith("reactor.netty.")) {
      return header("x-http2-stream-id") == null;
    }
    return HAS_SERVLETS && ofServlet(served);
  }

  private static boolean ofServlet(Object served) {
    return served instanceof HttpServletRequest servlet
        && servlet.getProtocol().startsWith("HTTP/1");
  }

  @Override
  public @Nullable String client() {
    InetSocketAddress address = request.getRemoteAddress();
    return address == null ? null : address.getHostString();
  }
}
