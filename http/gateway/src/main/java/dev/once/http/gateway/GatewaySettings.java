package dev.once.http.gateway;

import dev.once.core.store.StoreUrl;
import dev.once.http.semantics.Routes;
import dev.once.http.semantics.ScopeRule;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that a gateway is told. The routes, the scopes, the proxies and the origins can be
 * {@linkplain Gateway#reload changed} while it runs.
 *
 * @param upstream scheme, host and port of the service behind; a path is put before every request's
 * @param upstreamCa certificates in PEM to trust for https; null for those of the JDK
 * @param connections most connections to the upstream
 * @param connectTimeout how long connecting to the upstream may take
 * @param responseTimeout how long the upstream may be silent
 * @param idleTimeout how long an unused upstream connection is kept; less than the upstream keeps
 *     it
 * @param listen where clients connect
 * @param tls null for plain HTTP
 * @param admin where operators connect; null for nowhere
 * @param docs the policy page, as clients reach it; null for the one of the admin port
 * @param store where keys and answers are kept
 * @param cache a Redis in front of the store, which is a database then; null for none
 * @param fallback a database behind the store, which is a Redis then; null for none
 * @param storeTimeout how long one call to the store may take
 * @param trustedProxies proxies in front that may say for whom they ask
 * @param corsOrigins origins whose pages may send keys and read what the gateway says; {@code *}
 *     for all
 * @param clients how much clients may take
 * @param grace how long a stopping gateway waits for what runs
 */
public record GatewaySettings(
    URI upstream,
    @Nullable Path upstreamCa,
    int connections,
    Duration connectTimeout,
    Duration responseTimeout,
    Duration idleTimeout,
    Address listen,
    @Nullable Tls tls,
    @Nullable Address admin,
    @Nullable URI docs,
    StoreUrl store,
    @Nullable StoreUrl cache,
    @Nullable StoreUrl fallback,
    Duration storeTimeout,
    Routes routes,
    ScopeRule scopes,
    TrustedProxies trustedProxies,
    List<String> corsOrigins,
    ClientLimits clients,
    Duration grace) {

  public GatewaySettings {
    corsOrigins = List.copyOf(corsOrigins);
  }

  /** Where a server listens; port 0 is any free one. */
  public record Address(String host, int port) {}

  /** Files in PEM, read again when they change. */
  public record Tls(Path certificate, Path key) {}
}
