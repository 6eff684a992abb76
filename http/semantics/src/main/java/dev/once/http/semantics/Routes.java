package dev.once.http.semantics;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which policy a request is under: that of the first route that matches, or else the base.
 *
 * @param base the policy of everything that no route names
 */
public record Routes(HttpPolicy base, List<Route> routes) {

  public Routes {
    routes = List.copyOf(routes);
  }

  /** One policy for everything. */
  public static Routes all(HttpPolicy policy) {
    return new Routes(policy, List.of());
  }

  /** The policy of a request, and the pattern of the route that it comes by. */
  public Match match(RequestHead head) {
    return match(head.method(), head.path());
  }

  public Match match(String method, String path) {
    return routes.isEmpty() ? everythingElse() : match(method, Paths.segments(path));
  }

  private Match match(String method, List<String> segments) {
    for (Route route : routes) {
      if (route.pattern().matches(method, segments, route.policy().ignoreCase())) {
        return route.match();
      }
    }
    return everythingElse();
  }

  private Match everythingElse() {
    return new Match(base, Match.EVERYTHING_ELSE);
  }

  public HttpPolicy policyFor(String method, String path) {
    return match(method, path).policy();
  }

  HttpPolicy policyFor(String method, List<String> segments) {
    return match(method, segments).policy();
  }

  /** The same, for a server in front of others: refuses what they could read in another way. */
  public StrictRoutes strict() {
    return new StrictRoutes(this);
  }

  /**
   * A pattern, and the policy of the requests that match it.
   *
   * @param match both, as requests get them: made once
   */
  public record Route(RoutePattern pattern, HttpPolicy policy, Match match) {
    public Route(RoutePattern pattern, HttpPolicy policy) {
      this(pattern, policy, new Match(policy, pattern.toString()));
    }
  }

  /**
   * The policy that a request is under, and the route that says so.
   *
   * @param route a pattern, such as {@code POST /payments/**}: one of a few, whatever clients send
   * @param ambiguity why the request could be taken for one under another policy; null if it could
   *     not
   */
  public record Match(HttpPolicy policy, String route, @Nullable String ambiguity) {

    /** The route of what no other route names. */
    public static final String EVERYTHING_ELSE = "* /**";

    public Match(HttpPolicy policy, String route) {
      this(policy, route, null);
    }
  }
}
