package dev.once.spring.webflux;

import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import reactor.core.publisher.Flux;
import reactor.util.context.ContextView;

/**
 * Detects whether a body without a length is empty, before any filter can read it. Later it is too
 * late: a body that was read looks empty in Netty and Jetty, and an empty body looks read in
 * Tomcat.
 */
final class BodyDetector extends ServerHttpRequestDecorator {

  private volatile boolean came;

  private BodyDetector(ServerHttpRequest request) {
    super(request);
  }

  /** All of the application, behind this. Filters may replace requests, but not the context. */
  static HttpHandler before(HttpHandler application) {
    return (request, response) -> {
      if (OnceWebFilter.isSafe(request) || request.getHeaders().getContentLength() >= 0) {
        return application.handle(request, response);
      }
      BodyDetector noticed = new BodyDetector(request);
      return application
          .handle(noticed, response)
          .contextWrite(context -> context.put(BodyDetector.class, noticed));
    };
  }

  @Override
  public Flux<DataBuffer> getBody() {
    return super.getBody().doOnNext(piece -> came |= piece.readableByteCount() > 0);
  }

  /**
   * Whether a request of whose body nothing is left had one: then somebody has read it.
   *
   * @param failure how the read failed; null if it came to an end
   */
  static boolean had(ServerHttpRequest request, ContextView context, @Nullable Throwable failure) {
    BodyDetector noticed = context.getOrDefault(BodyDetector.class, null);
    if (noticed != null) {
      return noticed.came;
    }
    HttpHeaders headers = request.getHeaders();
    return headers.getContentLength() > 0
        || headers.getFirst(HttpHeaders.TRANSFER_ENCODING) != null
        || (failure != null && new ExchangeHead(request).hasBody());
  }
}
