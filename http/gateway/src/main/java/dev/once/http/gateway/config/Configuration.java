package dev.once.http.gateway.config;

import dev.once.http.gateway.GatewaySettings;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.Routes;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** What a gateway is told, and who said it. Immutable. */
public final class Configuration {

  private final GatewaySettings settings;
  private final String logLevel;
  private final Layer layer;
  private final List<PolicyInForce> policies;

  Configuration(
      GatewaySettings settings, String logLevel, Layer layer, List<PolicyInForce> policies) {
    this.settings = settings;
    this.logLevel = logLevel;
    this.layer = layer;
    this.policies = List.copyOf(policies);
  }

  /**
   * Reads all places.
   *
   * @throws ConfigurationException if anything is wrong; it says all that is
   */
  public static Configuration load(Sources sources) {
    return ConfigurationLoader.load(sources, Map.of());
  }

  /**
   * Reads all places.
   *
   * @param defaults for a use that needs less than a gateway does, or other things
   * @throws ConfigurationException if anything is wrong; it says all that is
   */
  public static Configuration load(Sources sources, Map<GatewayValue, String> defaults) {
    return ConfigurationLoader.load(sources, defaults);
  }

  public GatewaySettings settings() {
    return settings;
  }

  /** As slf4j-simple names it. */
  public String logLevel() {
    return logLevel;
  }

  /** The value of a setting, as it was written; passwords are left out. */
  public String show(GatewayValue value) {
    GivenValue given = layer.get(value);
    return given == null ? "" : given.shown();
  }

  private String text(GatewayValue value) {
    GivenValue given = layer.get(value);
    return given == null ? "" : given.text();
  }

  public Origin origin(GatewayValue value) {
    GivenValue given = layer.get(value);
    return given == null ? Origin.DEFAULT : given.origin();
  }

  /** The policies of the routes in their order, and at last that of everything else. */
  public List<PolicyInForce> policies() {
    return policies;
  }

  /** The policy that a request is under. */
  public PolicyInForce policyFor(String method, String path) {
    // The routes themselves know which one matches; each is asked alone, since two may be equal.
    HttpPolicy yes = HttpPolicy.DEFAULT.with(p -> p.enabled(true));
    HttpPolicy no = HttpPolicy.DEFAULT.with(p -> p.enabled(false));
    for (PolicyInForce policy : policies) {
      if (policy.pattern() == null
          || new Routes(no, List.of(new Routes.Route(policy.pattern(), yes)))
              .policyFor(method, path)
              .enabled()) {
        return policy;
      }
    }
    throw new IllegalStateException("policies: the last is for everything");
  }

  /** The settings that differ in a later configuration, and that a running gateway cannot take. */
  List<String> needRestart(Configuration later) {
    return Arrays.stream(GatewayValue.values())
        .filter(value -> !value.isReloadable() && !text(value).equals(later.text(value)))
        .map(GatewayValue::label)
        .toList();
  }
}
