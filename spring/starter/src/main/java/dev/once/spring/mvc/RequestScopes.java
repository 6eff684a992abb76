package dev.once.spring.mvc;

import dev.once.core.Scope;
import dev.once.http.semantics.Caller;
import dev.once.http.semantics.RequestHead;
import dev.once.http.semantics.ScopeRule;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Whose key it is: the user is the principal, so that a new token of the same user is the same
 * user; the tenant is the resolver's. Without them, what headers say.
 */
public final class RequestScopes implements BiFunction<HttpServletRequest, RequestHead, Caller> {

  private final ScopeRule rule;
  private final @Nullable TenantResolver tenants;

  public RequestScopes(ScopeRule rule, @Nullable TenantResolver tenants) {
    this.rule = rule;
    this.tenants = tenants;
  }

  @Override
  public Caller apply(HttpServletRequest request, RequestHead head) {
    Scope byHeaders = rule.of(head);
    String tenant =
        tenants != null ? tenants.tenantOf(request) : byHeaders == null ? null : byHeaders.tenant();
    if (tenant == null) {
      return Caller.of(null);
    }
    Principal principal = request.getUserPrincipal();
    String name = principal == null ? null : principal.getName(); // some have none
    return Caller.of(ScopeRule.of(tenant, name, byHeaders));
  }
}
