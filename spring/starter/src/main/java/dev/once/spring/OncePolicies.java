package dev.once.spring;

import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.HttpProfile;
import dev.once.http.semantics.PolicyValue;
import dev.once.http.semantics.RoutePattern;
import dev.once.http.semantics.Routes;
import dev.once.http.semantics.Routes.Route;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Which policy holds: that of the properties, by route; over it, what {@link Idempotent} says.
 * Immutable.
 */
public final class OncePolicies {

  private final Routes routes;

  private OncePolicies(Routes routes) {
    this.routes = routes;
  }

  static OncePolicies of(OnceProperties properties) {
    HttpPolicy base = properties.applyTo(HttpPolicy.DEFAULT, "once.");
    List<Route> routes = new ArrayList<>();
    for (int i = 0; i < properties.getRoutes().size(); i++) {
      OnceProperties.Route route = properties.getRoutes().get(i);
      String prefix = "once.routes[" + i + "].";
      routes.add(new Route(pattern(route, prefix), route.applyTo(base, prefix)));
    }
    return new OncePolicies(new Routes(base, routes));
  }

  private static RoutePattern pattern(OnceProperties.Route route, String prefix) {
    String match = route.getMatch();
    if (match == null) {
      throw new OnceConfigurationException(
          prefix + "match: missing (expected: such as POST /payments/** or /refunds/*)",
          "Say which requests this route is about.");
    }
    try {
      return RoutePattern.parse(match);
    } catch (IllegalArgumentException e) {
      throw OnceConfigurationException.badValue(prefix + "match: ", e);
    }
  }

  /** The policies of the properties. */
  public Routes routes() {
    return routes;
  }

  /**
   * The policy of a handler that is annotated.
   *
   * @param base what holds without the annotation
   * @param methods the HTTP methods of the handler, which the annotation brings into scope; empty
   *     for all
   * @param where the handler, for messages
   * @throws OnceConfigurationException if the annotation says what cannot be
   */
  public static HttpPolicy handler(
      HttpPolicy base, Idempotent idempotent, Set<String> methods, String where) {
    HttpPolicy policy = apply(base, idempotent, where);
    Set<String> inScope = new HashSet<>(policy.methods());
    for (String method : methods.isEmpty() ? MUTATIONS : methods) {
      if (MUTATIONS.contains(method)) {
        inScope.add(method);
      }
    }
    return policy.with(p -> p.enabled(true).methods(inScope));
  }

  static final Set<String> MUTATIONS = Set.of("POST", "PUT", "PATCH", "DELETE");

  /** The base with the annotation's values. */
  static HttpPolicy apply(HttpPolicy base, Idempotent idempotent, String where) {
    HttpPolicy policy = base;
    try {
      if (!idempotent.profile().isEmpty()) {
        policy = HttpProfile.named(idempotent.profile()).policy();
      }
      if (!idempotent.retention().isEmpty()) {
        policy = PolicyValue.RETENTION.set(policy, idempotent.retention());
      }
      for (boolean required : idempotent.required()) {
        policy = policy.with(p -> p.required(required));
      }
      policy = set(policy, PolicyValue.ON_CRASH, idempotent.onCrash());
      policy = set(policy, PolicyValue.ON_BUSY, idempotent.onBusy());
      policy = set(policy, PolicyValue.ON_FAILURE, idempotent.onFailure());
    } catch (IllegalArgumentException e) {
      throw new OnceConfigurationException(
          "@Idempotent on " + where + ": " + e.getMessage(),
          "Change the annotation's value to one of those that are expected.",
          e);
    }
    return policy;
  }

  private static HttpPolicy set(HttpPolicy base, PolicyValue value, Enum<?>[] said) {
    HttpPolicy policy = base;
    for (Enum<?> one : said) {
      policy = value.set(policy, one.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }
    return policy;
  }
}
