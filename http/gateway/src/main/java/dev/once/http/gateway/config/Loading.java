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
 * How settings are made of what the places give:
 *
 * <ol>
 *   <li>Every place is read. Each value is judged by itself, also where a stronger place overrides
 *       it: a file is right or wrong whatever the flags say.
 *   <li>The places are laid over one another, and over the defaults.
 *   <li>The policy of everything is made: the profile, and over it what was given.
 *   <li>The policy of a route is made: that of everything, or the profile that the route names, and
 *       over it what the route gives. A route is more special than a flag, and so it is stronger.
 *   <li>What does not go together is complained about.
 * </ol>
 */
final class Loading {

  /** To switch Once off is to switch it off everywhere; and the service behind is one. */
  private static final List<PolicyValue> OF_NO_PROFILE =
      List.of(PolicyValue.ENABLED, PolicyValue.IGNORE_CASE);

  private final Complaints complaints = new Complaints();
  private final FileLayer file;
  private final Layer layer;
  private final Draft draft = new Draft();

  private Loading(Sources sources, Map<GatewayValue, String> defaults) {
    Layer flags = FlagLayer.read(sources.flags(), complaints);
    file = FileLayer.read(sources.file(), complaints);
    Layer environment = EnvironmentLayer.read(sources.environment(), complaints);
    judge(flags);
    judge(file.top());
    judge(environment);
    layer = flags.over(file.top()).over(environment).over(defaultLayer(defaults));
  }

  static Configuration load(Sources sources, Map<GatewayValue, String> defaults) {
    Loading loading = new Loading(sources, defaults);
    loading.fillDraft();
    List<PolicyInForce> policies = loading.makePolicies();
    SettingChecks.check(loading.layer, loading.draft, policies, loading.complaints);
    loading.complaints.throwIfAny();
    return new Configuration(
        loading.draft.settings(routes(policies)), loading.draft.logLevel, loading.layer, policies);
  }

  private static Layer defaultLayer(Map<GatewayValue, String> defaults) {
    Layer layer = new Layer();
    for (GatewayValue value : GatewayValue.values()) {
      String text = defaults.containsKey(value) ? defaults.get(value) : value.byDefault();
      if (text != null) {
        layer.add(new Given(value.label(), text, Origin.DEFAULT));
      }
    }
    return layer;
  }

  private void judge(Layer place) {
    for (Given given : place.all()) {
      String complaint = complaint(given);
      if (complaint != null) {
        complaints.add(given, complaint);
      }
    }
  }

  private static @Nullable String complaint(Given given) {
    PolicyValue policyValue = PolicyValue.labelled(given.label()).orElse(null);
    if (policyValue != null) {
      return PolicyChanges.complaint(policyValue, given);
    }
    GatewayValue gatewayValue = GatewayValue.labelled(given.label()).orElse(null);
    return gatewayValue == null ? null : gatewayValue.complaint(given);
  }

  private void fillDraft() {
    for (GatewayValue value : GatewayValue.values()) {
      Given given = layer.get(value);
      if (given != null && value.complaint(given) == null) {
        value.set(draft, given.text());
      }
    }
    // A file that cannot be read may well name it.
    if (layer.get(GatewayValue.UPSTREAM) == null && file.isWhole()) {
      complaints.add(
          Origin.DEFAULT,
          GatewayValue.UPSTREAM.label(),
          "missing (expected: %s, by --upstream, in the file or in ONCE_UPSTREAM)"
              .formatted(GatewayValue.UPSTREAM.expected()));
    }
  }

  /** Those of the routes in their order, and that of everything else. */
  private List<PolicyInForce> makePolicies() {
    PolicyChanges changes = new PolicyChanges(layer, complaints);
    HttpPolicy policy = changes.over(draft.profile.policy());
    PolicyInForce base =
        new PolicyInForce(null, Origin.DEFAULT, draft.profile, policy, changes.origins());
    List<PolicyInForce> policies = new ArrayList<>();
    List<RouteEntry> before = new ArrayList<>();
    for (RouteEntry route : file.routes()) {
      judge(route.given());
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
    Given named = route.given().get(GatewayValue.PROFILE);
    if (named == null) {
      origins.putAll(base.given());
    } else {
      if (complaint(named) == null) {
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
    PolicyChanges changes = new PolicyChanges(route.given(), complaints);
    HttpPolicy policy = changes.over(start);
    origins.putAll(changes.origins());
    return new PolicyInForce(route.pattern(), route.match().origin(), profile, policy, origins);
  }

  private void checkReachable(RouteEntry route, List<RouteEntry> before) {
    for (RouteEntry earlier : before) {
      if (RouteOverlap.covers(earlier.pattern(), route.pattern())) {
        complaints.add(
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
        complaints.add(
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
