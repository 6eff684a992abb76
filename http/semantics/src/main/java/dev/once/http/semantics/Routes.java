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
    List<String> segments = Paths.segments(path);
    for (Route route : routes) {
      if (route.pattern().matches(method, segments)) {
        return route.policy();
      }
    }
    return base;
  }

  /** A pattern, and the policy of the requests that match it. */
  public record Route(RoutePattern pattern, HttpPolicy policy) {}
}
