package dev.once.http.gateway.config;

import dev.once.core.store.spi.StoreUrls;
import dev.once.http.gateway.ClientLimits;
import dev.once.http.gateway.GatewaySettings.Address;
import java.net.URI;
import java.util.List;
import java.util.Set;

/** What settings must be to one another. */
final class SettingChecks {

  private static final Set<String> WILDCARDS = Set.of("0.0.0.0", "::");
  private static final Set<String> THIS_MACHINE =
      Set.of("localhost", "127.0.0.1", "::1", "[::1]", "0.0.0.0", "::");

  private final Layer layer;
  private final SettingsBuilder builder;
  private final ConfigurationErrors errors;

  private SettingChecks(Layer layer, SettingsBuilder builder, ConfigurationErrors errors) {
    this.layer = layer;
    this.builder = builder;
    this.errors = errors;
  }

  static void check(
      Layer layer,
      SettingsBuilder builder,
      List<PolicyInForce> policies,
      ConfigurationErrors errors) {
    SettingChecks checks = new SettingChecks(layer, builder, errors);
    checks.needs(GatewayValue.TLS_CERTIFICATE, GatewayValue.TLS_KEY);
    checks.needs(GatewayValue.TLS_KEY, GatewayValue.TLS_CERTIFICATE);
    checks.excludes(GatewayValue.USER_COOKIE, GatewayValue.USER_HEADER);
    checks.storesThatGoTogether();
    checks.trustedUpstream();
    checks.twoPorts();
    checks.noLoop();
    checks.roomForBodies(policies);
  }

  private boolean isSet(GatewayValue value) {
    GivenValue given = layer.get(value);
    return given != null && !given.text().equals("none");
  }

  private void needs(GatewayValue one, GatewayValue other) {
    if (isSet(one) && !isSet(other)) {
      addError(one, "alone (expected: with " + other.label() + ")");
    }
  }

  private void excludes(GatewayValue one, GatewayValue other) {
    if (isSet(one) && isSet(other)) {
      addError(one, "together with " + other.label() + " (expected: one of them)");
    }
  }

  private void storesThatGoTogether() {
    if (builder.store != null) {
      new StoreUrls(builder.store, builder.cache, builder.fallback)
          .mismatch()
          .ifPresent(
              mismatch ->
                  addError(
                      mismatch.part().equals("cache") ? GatewayValue.CACHE : GatewayValue.FALLBACK,
                      mismatch.error()));
    }
  }

  private void trustedUpstream() {
    URI upstream = builder.upstream;
    if (isSet(GatewayValue.UPSTREAM_CA)
        && upstream != null
        && !upstream.getScheme().equalsIgnoreCase("https")) {
      addError(GatewayValue.UPSTREAM_CA, "for " + upstream + " (expected: with an https upstream)");
    }
  }

  private void twoPorts() {
    Address admin = builder.admin;
    Address listen = builder.listen;
    boolean sameHost =
        admin != null
            && (admin.host().equals(listen.host())
                || WILDCARDS.contains(listen.host())
                || WILDCARDS.contains(admin.host()));
    if (sameHost && admin != null && admin.port() != 0 && admin.port() == listen.port()) {
      addError(GatewayValue.ADMIN, "port " + admin.port() + " (expected: another than listen has)");
    }
  }

  /** A service on the port that the gateway takes by default is the usual first mistake. */
  private void noLoop() {
    URI upstream = builder.upstream;
    if (upstream == null) {
      return;
    }
    int usual = upstream.getScheme().equalsIgnoreCase("https") ? 443 : 80;
    int port = upstream.getPort() < 0 ? usual : upstream.getPort();
    if (port == builder.listen.port()
        && THIS_MACHINE.contains(upstream.getHost())
        && THIS_MACHINE.contains(builder.listen.host())) {
      addError(
          GatewayValue.UPSTREAM,
          upstream + " is where the gateway itself listens (expected: two ports; see listen)");
    }
  }

  /** A body that fits no empty budget would be sent away for ever. */
  private void roomForBodies(List<PolicyInForce> policies) {
    int largest =
        policies.stream().mapToInt(policy -> policy.policy().maxRequestBody()).max().orElse(0);
    long room = ClientLimits.roomForOneBody(builder.maxHeldBytes);
    if (builder.maxHeldBytes > 0 && largest > room) {
      addError(
          GatewayValue.MAX_HELD_BYTES,
          "%d bytes, with a max-request-body of %d (expected: a body is at most three quarters of"
                  .formatted(builder.maxHeldBytes, largest)
              + " it; raise this or the heap, or lower that)");
    }
  }

  private void addError(GatewayValue value, String error) {
    GivenValue given = layer.get(value);
    Origin origin = given == null ? Origin.DEFAULT : given.origin();
    errors.add(origin, given == null ? value.label() : given.label(), error);
  }
}
