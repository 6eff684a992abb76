package dev.once.spring.webflux;

import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** A bean of this kind says which tenant a WebFlux request belongs to, and so whose key it is. */
@FunctionalInterface
public interface ReactiveTenantResolver {

  /** The tenant; empty if it cannot be told, and then the request is refused. Never blocks. */
  Mono<String> tenantOf(ServerWebExchange exchange);
}
