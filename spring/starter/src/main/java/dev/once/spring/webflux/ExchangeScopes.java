package dev.once.spring.webflux;

import dev.once.core.Scope;
import dev.once.http.semantics.Caller;
import dev.once.http.semantics.RequestHead;
import dev.once.http.semantics.ScopeRule;
import java.security.Principal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Whose key it is: the user is the principal, so that a new token of the same user is the same
 * user; the tenant is the resolver's. Without them, what headers say.
 */
final class ExchangeScopes {

  /** By name: it need not be there. */
  private static final String ANONYMOUS =
      "org.springframework.security.authentication.AnonymousAuthenticationToken";

  private final ScopeRule rule;
  private final @Nullable ReactiveTenantResolver tenants;

  ExchangeScopes(ScopeRule rule, @Nullable ReactiveTenantResolver tenants) {
    this.rule = rule;
    this.tenants = tenants;
  }

  Mono<Caller> of(ServerWebExchange exchange, RequestHead head) {
    Scope byHeaders = rule.of(head);
    Mono<Optional<String>> tenant =
        tenants != null
            ? tenants.tenantOf(exchange).map(Optional::of).defaultIfEmpty(Optional.empty())
            : Mono.just(Optional.ofNullable(byHeaders).map(Scope::tenant));
    Mono<Optional<String>> principal =
        exchange
            .getPrincipal()
            .filter(found -> !isAnonymous(found.getClass()))
            .mapNotNull(Principal::getName) // some have none
            .map(Optional::of)
            .defaultIfEmpty(Optional.empty());
    return tenant.zipWith(
        principal,
        (of, by) -> {
          String name = by.orElse(null);
          Scope scope = of.map(t -> ScopeRule.of(t, name, byHeaders)).orElse(null);
          return Caller.of(scope, rule.tenantMissing());
        });
  }

  /** Spring Security may have one for all who are not authenticated: that is not a user. */
  private static boolean isAnonymous(@Nullable Class<?> type) {
    return type != null && (type.getName().equals(ANONYMOUS) || isAnonymous(type.getSuperclass()));
  }
}
