package dev.once.spring;

import dev.once.core.Scope;
import dev.once.http.semantics.RequestHead;
import dev.once.http.semantics.ScopeRule;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Whose key it is: the user is the principal, so that a new token of the same user is the same
 * user; the tenant is the resolver's. Without them, what headers say.
 */
final class RequestScopes implements Function<HttpServletRequest, @Nullable Scope> {

  private final ScopeRule rule;
  private final @Nullable TenantResolver tenants;

  RequestScopes(ScopeRule rule, @Nullable TenantResolver tenants) {
    this.rule = rule;
    this.tenants = tenants;
  }

  @Override
  public @Nullable Scope apply(HttpServletRequest request) {
    Scope byHeaders = rule.of(new Headers(request));
    String tenant =
        tenants != null ? tenants.tenantOf(request) : byHeaders == null ? null : byHeaders.tenant();
    if (tenant == null) {
      return null;
    }
    Principal principal = request.getUserPrincipal();
    String name = principal == null ? null : principal.getName(); // some have none
    return CallerScope.of(tenant, name, byHeaders);
  }

  /** What a {@link ScopeRule} reads. */
  private record Headers(HttpServletRequest request) implements RequestHead {
    @Override
    public String method() {
      return request.getMethod();
    }

    @Override
    public String path() {
      return request.getRequestURI();
    }

    @Override
    public @Nullable String query() {
      return request.getQueryString();
    }

    @Override
    public List<String> headers(String name) {
      return Collections.list(request.getHeaders(name));
    }

    @Override
    public boolean hasBody() {
      return request.getContentLengthLong() != 0;
    }

    @Override
    public @Nullable String client() {
      return request.getRemoteAddr();
    }
  }
}
