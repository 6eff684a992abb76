package dev.once.spring.webflux;

import dev.once.core.Execution;
import java.util.Optional;
import org.springframework.core.MethodParameter;
import org.springframework.web.reactive.BindingContext;
import org.springframework.web.reactive.result.method.HandlerMethodArgumentResolver;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Gives a handler method its {@link Execution}; as an {@code Optional} where requests without a key
 * come too.
 */
final class ExecutionArgument implements HandlerMethodArgumentResolver {

  @Override
  public boolean supportsParameter(MethodParameter parameter) {
    return parameter.nestedIfOptional().getNestedParameterType() == Execution.class;
  }

  @Override
  public Mono<Object> resolveArgument(
      MethodParameter parameter, BindingContext context, ServerWebExchange exchange) {
    Optional<Execution> found = OnceWebFilter.execution(exchange);
    if (parameter.getParameterType() == Optional.class) {
      return Mono.just(found);
    }
    return found
        .<Mono<Object>>map(Mono::just)
        .orElseGet(
            () ->
                Mono.error(
                    new IllegalStateException(
                        "%s: no key (expected: a request under a key); take an Optional"
                            .formatted(parameter))));
  }
}
