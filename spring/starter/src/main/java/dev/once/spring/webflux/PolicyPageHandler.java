package dev.once.spring.webflux;

import dev.once.core.Bytes;
import dev.once.core.Header;
import dev.once.http.semantics.PolicyPage;
import dev.once.http.semantics.Reply;
import dev.once.spring.OncePolicies;
import java.util.List;
import org.springframework.http.HttpMethod;
import org.springframework.web.server.MethodNotAllowedException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;
import reactor.core.publisher.Mono;

/** Publishes the rules for keys, which the types of problems link to. */
record PolicyPageHandler(OncePolicies policies) implements WebHandler {

  private static final List<HttpMethod> METHODS = List.of(HttpMethod.GET, HttpMethod.HEAD);

  @Override
  public Mono<Void> handle(ServerWebExchange exchange) {
    HttpMethod method = exchange.getRequest().getMethod();
    if (!METHODS.contains(method)) {
      return Mono.error(new MethodNotAllowedException(method, METHODS));
    }
    Header type = new Header("Content-Type", "text/html;charset=UTF-8");
    Bytes page = Bytes.utf8(PolicyPage.render(policies.routes()));
    return Client.send(exchange.getResponse(), new Reply(200, List.of(type), page));
  }
}
