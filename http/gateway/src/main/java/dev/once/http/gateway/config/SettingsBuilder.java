package dev.once.http.gateway.config;

import dev.once.core.store.StoreUrl;
import dev.once.http.gateway.ClientLimits;
import dev.once.http.gateway.GatewaySettings;
import dev.once.http.gateway.GatewaySettings.Address;
import dev.once.http.gateway.GatewaySettings.Tls;
import dev.once.http.gateway.TrustedProxies;
import dev.once.http.semantics.HttpProfile;
import dev.once.http.semantics.Routes;
import dev.once.http.semantics.ScopeRule;
import dev.once.http.semantics.ScopeRule.User;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds the settings. {@link GatewayValue} fills the fields; what has a default is filled before
 * it is read.
 */
final class SettingsBuilder {

  @Nullable URI upstream;
  @Nullable Path upstreamCa;
  int connections;
  Duration connectTimeout = Duration.ZERO;
  Duration responseTimeout = Duration.ZERO;
  Duration idleTimeout = Duration.ZERO;
  Address listen = new Address("", 0);
  @Nullable Path tlsCertificate;
  @Nullable Path tlsKey;
  @Nullable Address admin;
  @Nullable URI docs;
  @Nullable StoreUrl store;
  @Nullable StoreUrl cache;
  @Nullable StoreUrl fallback;
  Duration storeTimeout = Duration.ZERO;
  HttpProfile profile = HttpProfile.IETF;
  @Nullable String tenantHeader;
  @Nullable String userHeader;
  @Nullable String userCookie;
  boolean anonymous;
  TrustedProxies trustedProxies = TrustedProxies.NONE;
  List<String> corsOrigins = List.of();
  int maxConnections;
  Duration headTimeout = Duration.ZERO;
  Duration clientIdleTimeout = Duration.ZERO;
  Duration bodyTimeout = Duration.ZERO;
  long maxHeldBytes;
  Duration grace = Duration.ZERO;
  String logLevel = "";

  GatewaySettings build(Routes routes) {
    if (upstream == null || store == null) {
      throw new IllegalStateException("upstream or store: missing (expected: checked before)");
    }
    Tls tls = tlsCertificate == null || tlsKey == null ? null : new Tls(tlsCertificate, tlsKey);
    return new GatewaySettings(
        upstream,
        upstreamCa,
        connections,
        connectTimeout,
        responseTimeout,
        idleTimeout,
        listen,
        tls,
        admin,
        docs,
        store,
        cache,
        fallback,
        storeTimeout,
        routes,
        scopes(),
        trustedProxies,
        corsOrigins,
        new ClientLimits(maxConnections, headTimeout, clientIdleTimeout, bodyTimeout, maxHeldBytes),
        grace);
  }

  private ScopeRule scopes() {
    ScopeRule users = ScopeRule.DEFAULT.withAnonymous(anonymous);
    if (userHeader != null) {
      users = users.withUser(User.HEADER, userHeader);
    } else if (userCookie != null) {
      users = users.withUser(User.COOKIE, userCookie);
    }
    return tenantHeader == null ? users : users.withTenantHeader(tenantHeader);
  }
}
