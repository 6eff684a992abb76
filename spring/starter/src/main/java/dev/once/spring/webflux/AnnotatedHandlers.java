package dev.once.spring.webflux;

import dev.once.http.semantics.Routes;
import dev.once.http.semantics.Routes.Match;
import dev.once.spring.Idempotent;
import dev.once.spring.OnceConfigurationException;
import dev.once.spring.OncePolicies;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Which policy a request is under: that of the properties, and over it what {@link Idempotent} on
 * its handler says. The handler is found as WebFlux will find it, a moment later; where no handler
 * is annotated, none is looked for.
 */
final class AnnotatedHandlers implements SmartInitializingSingleton {

  private record From(Match base, Method handler, String method) {}

  private final Routes routes;
  private final ListableBeanFactory beans;
  private final Map<From, Match> made = new ConcurrentHashMap<>();
  private volatile List<RequestMappingHandlerMapping> mappings = List.of();
  private volatile Map<Method, Idempotent> annotated = Map.of();

  AnnotatedHandlers(OncePolicies policies, ListableBeanFactory beans) {
    this.routes = policies.routes();
    this.beans = beans;
  }

  /** Finds the annotated handlers, and fails if an annotation says what cannot be. */
  @Override
  public void afterSingletonsInstantiated() {
    List<RequestMappingHandlerMapping> all =
        new ArrayList<>(
            beans.getBeansOfType(RequestMappingHandlerMapping.class, true, false).values());
    all.sort(AnnotationAwareOrderComparator.INSTANCE);
    Map<Method, Idempotent> found = new HashMap<>();
    for (RequestMappingHandlerMapping mapping : all) {
      for (HandlerMethod handler : mapping.getHandlerMethods().values()) {
        Idempotent idempotent =
            OncePolicies.annotationOf(handler.getMethod(), handler.getBeanType());
        if (idempotent != null) {
          check(handler, idempotent);
          found.put(handler.getMethod(), idempotent);
        }
      }
    }
    annotated = Map.copyOf(found);
    mappings = found.isEmpty() ? List.of() : List.copyOf(all);
  }

  private void check(HandlerMethod handler, Idempotent idempotent) {
    OncePolicies.handler(routes.base(), idempotent, Set.of(), where(handler.getMethod()));
    for (boolean sameTransaction : idempotent.sameTransaction()) {
      if (sameTransaction) {
        throw new OnceConfigurationException(
            "@Idempotent on the handler %s: sameTransaction in WebFlux (expected: in Spring MVC)"
                .formatted(where(handler.getMethod())),
            "Put it on a bean method that runs in the transaction, or remove sameTransaction.");
      }
    }
    if (!idempotent.key().isEmpty() || !idempotent.fingerprint().isEmpty()) {
      throw new OnceConfigurationException(
          "@Idempotent on the handler %s: it has a key or a fingerprint of its own (expected: none)"
              .formatted(where(handler.getMethod())),
          "The key of a request is its header's. Move the annotation to a method of another bean"
              + " that the handler calls, or remove key and fingerprint.");
    }
  }

  Mono<Match> match(ServerWebExchange exchange) {
    String method = exchange.getRequest().getMethod().name();
    // Within the application: routes do not name what it is deployed under.
    String path = exchange.getRequest().getPath().pathWithinApplication().value();
    Match base = routes.match(method, path);
    if (mappings.isEmpty()) {
      return Mono.just(base);
    }
    return Flux.fromIterable(mappings)
        .concatMap(mapping -> mapping.getHandler(exchange))
        .next()
        .onErrorComplete() // 405, 415 and so on, which WebFlux will say itself
        .map(
            handler ->
                handler instanceof HandlerMethod found
                    ? match(base, found.getMethod(), method)
                    : base)
        .defaultIfEmpty(base);
  }

  private Match match(Match base, Method handler, String method) {
    Idempotent idempotent = annotated.get(handler);
    return idempotent == null
        ? base
        : made.computeIfAbsent(
            new From(base, handler, method),
            from ->
                new Match(
                    OncePolicies.handler(base.policy(), idempotent, Set.of(method), where(handler)),
                    base.route()));
  }

  private static String where(Method method) {
    return method.getDeclaringClass().getName() + "." + method.getName();
  }
}
