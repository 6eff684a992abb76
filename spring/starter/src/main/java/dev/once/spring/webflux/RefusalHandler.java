package dev.once.spring.webflux;

import dev.once.core.RefusedException;
import dev.once.http.semantics.Problems;
import dev.once.http.semantics.Routes.Match;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * Answers an {@link RefusedException} that a handler let through with the problem that the filter
 * would have sent. Comes after the application's own exception handlers, and before Boot's, which
 * answers all that is left.
 */
final class RefusalHandler implements WebExceptionHandler, Ordered {

  /** Boot's is at -1. */
  private static final int BEFORE_BOOTS = -2;

  private final AnnotatedHandlers policies;
  private final Problems problems;

  RefusalHandler(AnnotatedHandlers policies, Problems problems) {
    this.policies = policies;
    this.problems = problems;
  }

  @Override
  public int getOrder() {
    return BEFORE_BOOTS;
  }

  @Override
  public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
    return failure instanceof RefusedException refused && !exchange.getResponse().isCommitted()
        ? policies.match(exchange).flatMap(match -> send(exchange, match, refused))
        : Mono.error(failure);
  }

  private Mono<Void> send(ServerWebExchange exchange, Match match, RefusedException refused) {
    return Client.send(
        exchange.getResponse(), problems.reply(problems.of(match.policy(), refused.refusal())));
  }
}
