package dev.once.spring.webflux;

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
 * are read from that body too; the exchange itself would read them from the client.
 */
final class KeptExchange extends ServerWebExchangeDecorator {

  private final ServerWebExchange forms;

  KeptExchange(
      ServerWebExchange exchange,
      ServerHttpRequest request,
      ServerHttpResponse response,
      ServerCodecConfigurer codecs) {
    super(exchange);
    forms =
        new DefaultServerWebExchange(
            request,
            response,
            any -> exchange.getSession(),
            codecs,
            new AcceptHeaderLocaleContextResolver());
  }

  @Override
  public ServerHttpRequest getRequest() {
    return forms.getRequest();
  }

  @Override
  public ServerHttpResponse getResponse() {
    return forms.getResponse();
  }

  @Override
  public Mono<MultiValueMap<String, String>> getFormData() {
    return forms.getFormData();
  }

  @Override
  public Mono<MultiValueMap<String, Part>> getMultipartData() {
    return forms.getMultipartData();
  }

  @Override
  public Mono<Void> cleanupMultipart() {
    return forms.cleanupMultipart();
  }
}
