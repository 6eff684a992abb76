package dev.once.http.semantics;

import java.util.List;

/**
 * Which policy a request is under: that of the first route that matches, or else the base.
 *
 * @param base the policy of everything that no route names
 */
public record Routes(HttpPolicy base, List<Route> routes) implements Policies {

  public Routes {
    routes = List.copyOf(routes);
  }

  /** One policy for everything. */
  public static Routes all(HttpPolicy policy) {
    return new Routes(policy, List.of());
  }

  @Override
  public HttpPolicy policyFor(RequestHead head) {
    return policyFor(head.method(), head.path());
  }

  public HttpPolicy policyFor(String method, String path) {
    if (routes.isEmpty()) {
      return base;
    }
    return policyFor(method, Paths.segments(path));
  }

  HttpPolicy policyFor(String method, List<String> segments) {
    for (Route route : routes) {
      if (route.pattern().matches(method, segments, route.policy().ignoreCase())) {
        return route.policy();
      }
    }
    return base;
  }

  /** The same, for a server in front of others: refuses what they could read in another way. */
  public Policies strict() {
    return new StrictRoutes(this);
  }

  /** A pattern, and the policy of the requests that match it. */
  public record Route(RoutePattern pattern, HttpPolicy policy) {}
}
