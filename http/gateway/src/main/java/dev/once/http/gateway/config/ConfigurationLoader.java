package dev.once.http.gateway.config;

import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.HttpProfile;
import dev.once.http.semantics.PolicyValue;
import dev.once.http.semantics.Routes;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes the settings from what all places give:
 *
 * <ol>
 *   <li>Every place is read. Each value is judged by itself, also where a stronger place overrides
 *       it: a file is right or wrong whatever the flags say.
 *   <li>The places are laid over one another, and over the defaults.
 *   <li>The policy of everything is made: the profile, and over it what was given.
 *   <li>The policy of a route is made: that of everything, or the profile that the route names, and
 *       over it what the route gives. A route is more special than a flag, and so it is stronger.
 *   <li>What does not go together is reported as an error.
 * </ol>
 */
final class ConfigurationLoader {

  /** To switch Once off is to switch it off everywhere; and the service behind is one. */
  private static final List<PolicyValue> OF_NO_PROFILE =
      List.of(PolicyValue.ENABLED, PolicyValue.IGNORE_CASE);

  private final ConfigurationErrors errors = new ConfigurationErrors();
  private final FileLayer file;
  private final Layer layer;
  private final SettingsBuilder builder = new SettingsBuilder();

  private ConfigurationLoader(Sources sources, Map<GatewayValue, String> defaults) {
    Layer flags = FlagLayer.read(sources.flags(), errors);
    file = FileLayer.read(sources.file(), errors);
    Layer environment = EnvironmentLayer.read(sources.environment(), errors);
    validate(flags);
    validate(file.top());
    validate(environment);
    layer =
        flags
            .withFallback(file.top())
            .withFallback(environment)
            .withFallback(defaultLayer(defaults));
  }

  static Configuration load(Sources sources, Map<GatewayValue, String> defaults) {
    ConfigurationLoader loading = new ConfigurationLoader(sources, defaults);
    loading.fillDraft();
    List<PolicyInForce> policies = loading.makePolicies();
    SettingChecks.check(loading.layer, loading.builder, policies, loading.errors);
    loading.errors.throwIfAny();
    return new Configuration(
        loading.builder.build(routes(policies)), loading.builder.logLevel, loading.layer, policies);
  }

  private static Layer defaultLayer(Map<GatewayValue, String> defaults) {
    Layer layer = new Layer();
    for (GatewayValue value : GatewayValue.values()) {
      String text = defaults.containsKey(value) ? defaults.get(value) : value.byDefault();
      if (text != null) {
        layer.add(new GivenValue(value.label(), text, Origin.DEFAULT));
      }
    }
    return layer;
  }

  private void validate(Layer place) {
    for (GivenValue given : place.all()) {
      String error = findError(given);
      if (error != null) {
        errors.add(given, error);
      }
    }
  }

  private static @Nullable String findError(GivenValue given) {
    PolicyValue policyValue = PolicyValue.labelled(given.label()).orElse(null);
    if (policyValue != null) {
      return PolicyChanges.findError(policyValue, given);
    }
    GatewayValue gatewayValue = GatewayValue.labelled(given.label()).orElse(null);
    return gatewayValue == null ? null : gatewayValue.findError(given);
  }

  private void fillDraft() {
    for (GatewayValue value : GatewayValue.values()) {
      GivenValue given = layer.get(value);
      if (given != null && value.findError(given) == null) {
        value.set(builder, given.text());
      }
    }
    // A file that cannot be read may well name it.
    if (layer.get(GatewayValue.UPSTREAM) == null && file.isWhole()) {
      errors.add(
          Origin.DEFAULT,
          GatewayValue.UPSTREAM.label(),
          "missing (expected: %s, by --upstream, in the file or in ONCE_UPSTREAM)"
              .formatted(GatewayValue.UPSTREAM.expected()));
    }
  }

  /** Those of the routes in their order, and that of everything else. */
  private List<PolicyInForce> makePolicies() {
    PolicyChanges changes = new PolicyChanges(layer, errors);
    HttpPolicy policy = changes.over(builder.profile.policy());
    PolicyInForce base =
        new PolicyInForce(null, Origin.DEFAULT, builder.profile, policy, changes.origins());
    List<PolicyInForce> policies = new ArrayList<>();
    List<RouteEntry> before = new ArrayList<>();
    for (RouteEntry route : file.routes()) {
      validate(route.given());
      checkReachable(route, before);
      before.add(route);
      PolicyInForce own = routePolicy(route, base);
      checkMethods(route, own.policy());
      policies.add(own);
    }
    policies.add(base);
    return policies;
  }

  private PolicyInForce routePolicy(RouteEntry route, PolicyInForce base) {
    HttpProfile profile = base.profile();
    HttpPolicy start = base.policy();
    Map<PolicyValue, Origin> origins = new EnumMap<>(PolicyValue.class);
    GivenValue named = route.given().get(GatewayValue.PROFILE);
    if (named == null) {
      origins.putAll(base.given());
    } else {
      if (findError(named) == null) {
        profile = HttpProfile.named(named.text().strip());
      }
      start = profile.policy();
      for (PolicyValue value : OF_NO_PROFILE) {
        start = value.set(start, value.show(base.policy()));
        if (base.differs(value)) {
          origins.put(value, base.origin(value));
        }
      }
    }
    PolicyChanges changes = new PolicyChanges(route.given(), errors);
    HttpPolicy policy = changes.over(start);
    origins.putAll(changes.origins());
    return new PolicyInForce(route.pattern(), route.match().origin(), profile, policy, origins);
  }

  private void checkReachable(RouteEntry route, List<RouteEntry> before) {
    for (RouteEntry earlier : before) {
      if (RouteOverlap.covers(earlier.pattern(), route.pattern())) {
        errors.add(
            route.match(),
            "'%s' is never reached (expected: before '%s' in line %d, which matches all of it)"
                .formatted(
                    route.match().text(), earlier.match().text(), earlier.match().origin().line()));
        return;
      }
    }
  }

  /** A route that names a method out of scope would pass it on unprotected, in silence. */
  private void checkMethods(RouteEntry route, HttpPolicy policy) {
    for (String method : route.pattern().methods()) {
      if (policy.enabled() && !policy.methods().contains(method)) {
        errors.add(
            route.match(),
            "%s is not in scope (expected: one of methods, here %s)"
                .formatted(method, PolicyValue.METHODS.show(policy)));
      }
    }
  }

  private static Routes routes(List<PolicyInForce> policies) {
    List<Routes.Route> routes = new ArrayList<>();
    for (PolicyInForce policy : policies) {
      if (policy.pattern() != null) {
        routes.add(new Routes.Route(policy.pattern(), policy.policy()));
      }
    }
    return new Routes(policies.get(policies.size() - 1).policy(), routes);
  }
}
