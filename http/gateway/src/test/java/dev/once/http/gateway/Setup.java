package dev.once.http.gateway;

import dev.once.core.store.Stores;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.HttpProfile;
import dev.once.http.semantics.PolicyValue;
import dev.once.http.semantics.RoutePattern;
import dev.once.http.semantics.Routes;
import dev.once.http.semantics.Routes.Route;
import dev.once.http.semantics.ScopeRule;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Settings of a gateway in a test: what a test does not name is harmless and quick. */
final class Setup {

  URI upstream;
  Path upstreamCa;
  int connections = 32;
  Duration connectTimeout = Duration.ofSeconds(60);
  Duration responseTimeout = Duration.ofSeconds(60);
  Duration idleTimeout = Duration.ofSeconds(4);
  int port;
  GatewaySettings.Tls tls;
  boolean admin = true;
  URI docs;
  String store = "memory:";
  String cache;
  String fallback;
  Duration storeTimeout = Duration.ofSeconds(60);
  HttpPolicy base = HttpProfile.IETF.policy();
  final List<Route> routes = new ArrayList<>();
  ScopeRule scopes = ScopeRule.DEFAULT;
  String trustedProxies = "";
  List<String> corsOrigins = List.of();
  int maxConnections = 10_000;
  Duration headTimeout = Duration.ofSeconds(60);
  Duration clientIdleTimeout = Duration.ofSeconds(60);
  Duration bodyTimeout;
  long maxHeldBytes = 64 << 20;
  Duration grace = Duration.ofSeconds(10);

  Setup(int upstreamPort) {
    upstream = URI.create("http://localhost:" + upstreamPort);
  }

  /** Sets a value of the base policy, by its name in files. */
  Setup policy(String label, String value) {
    base = with(base, label, value);
    return this;
  }

  /** Adds a route: its values are the base's, as they are now, but for this one. */
  Setup route(String pattern, String label, String value) {
    routes.add(new Route(RoutePattern.parse(pattern), with(base, label, value)));
    return this;
  }

  private static HttpPolicy with(HttpPolicy policy, String label, String value) {
    return PolicyValue.labelled(label).orElseThrow().set(policy, value);
  }

  GatewaySettings settings() {
    GatewaySettings.Address anyPort = new GatewaySettings.Address("localhost", 0);
    return new GatewaySettings(
        upstream,
        upstreamCa,
        connections,
        connectTimeout,
        responseTimeout,
        idleTimeout,
        new GatewaySettings.Address("localhost", port),
        tls,
        admin ? anyPort : null,
        docs,
        Stores.parse(store),
        cache == null ? null : Stores.parse(cache),
        fallback == null ? null : Stores.parse(fallback),
        storeTimeout,
        new Routes(base, routes),
        scopes,
        TrustedProxies.parse(trustedProxies),
        corsOrigins,
        new ClientLimits(
            maxConnections,
            headTimeout,
            clientIdleTimeout,
            bodyTimeout == null ? responseTimeout : bodyTimeout,
            maxHeldBytes),
        grace);
  }
}
