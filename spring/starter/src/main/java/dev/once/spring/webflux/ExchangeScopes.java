package dev.once.spring.webflux;

import dev.once.core.Fingerprint;
import dev.once.core.Scope;
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

  private final ScopeRule rule;
  private final @Nullable ReactiveTenantResolver tenants;

  ExchangeScopes(ScopeRule rule, @Nullable ReactiveTenantResolver tenants) {
    this.rule = rule;
    this.tenants = tenants;
  }

  /** Empty if the tenant cannot be told. */
  Mono<Optional<Scope>> of(ServerWebExchange exchange, RequestHead head) {
    Scope byHeaders = rule.of(head);
    Mono<Optional<String>> tenant =
        tenants != null
            ? tenants.tenantOf(exchange).map(Optional::of).defaultIfEmpty(Optional.empty())
            : Mono.just(Optional.ofNullable(byHeaders).map(Scope::tenant));
    Mono<String> user =
        exchange
            .getPrincipal()
            .mapNotNull(Principal::getName) // some have none
            .defaultIfEmpty(byHeaders == null ? "" : byHeaders.user());
    return tenant.zipWith(user, (of, by) -> of.map(t -> new Scope(bounded(t), bounded(by), "")));
  }

  String tenantMissing() {
    return rule.tenantMissing();
  }

  private static String bounded(String value) {
    return value.length() <= Scope.MAX_PART_LENGTH
        ? value
        : "sha256:" + Fingerprint.of(value).hash().toHex();
  }
}
