package dev.once.spring.webflux;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.codec.multipart.Part;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.util.MultiValueMap;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;
import org.springframework.web.server.adapter.DefaultServerWebExchange;
import org.springframework.web.server.i18n.AcceptHeaderLocaleContextResolver;
import reactor.core.publisher.Mono;

/**
 * The exchange as the handler sees it: the body that was kept, and the response that is held. Forms
 * are read from that body too; the exchange itself would read them from the client. What a
 * condition of the request comes to is told to that response; the exchange itself would tell the
 * client's.
 */
final class BufferedExchange extends ServerWebExchangeDecorator {

  private final ServerWebExchange kept;

  BufferedExchange(
      ServerWebExchange exchange,
      ServerHttpRequest request,
      ServerHttpResponse response,
      ServerCodecConfigurer codecs) {
    super(exchange);
    kept =
        new DefaultServerWebExchange(
            request,
            response,
            any -> exchange.getSession(),
            codecs,
            new AcceptHeaderLocaleContextResolver());
  }

  @Override
  public ServerHttpRequest getRequest() {
    return kept.getRequest();
  }

  @Override
  public ServerHttpResponse getResponse() {
    return kept.getResponse();
  }

  @Override
  public Mono<MultiValueMap<String, String>> getFormData() {
    return kept.getFormData();
  }

  @Override
  public Mono<MultiValueMap<String, Part>> getMultipartData() {
    return kept.getMultipartData();
  }

  @Override
  public Mono<Void> cleanupMultipart() {
    return kept.cleanupMultipart();
  }

  @Override
  public boolean isNotModified() {
    return kept.isNotModified();
  }

  @Override
  public boolean checkNotModified(Instant lastModified) {
    return kept.checkNotModified(lastModified);
  }

  @Override
  public boolean checkNotModified(String etag) {
    return kept.checkNotModified(etag);
  }

  @Override
  public boolean checkNotModified(@Nullable String etag, Instant lastModified) {
    return kept.checkNotModified(etag, lastModified);
  }
}
