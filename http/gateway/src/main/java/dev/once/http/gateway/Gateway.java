package dev.once.http.gateway;

import dev.once.core.Once;
import dev.once.core.store.Store;
import dev.once.core.store.StoreException;
import dev.once.core.store.Stores;
import dev.once.core.store.spi.StoreUrls;
import dev.once.http.semantics.Problems;
import dev.once.http.semantics.RefusalFormat;
import dev.once.http.semantics.Rules;
import dev.once.ops.micrometer.OnceMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServerOptions;
import java.net.BindException;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Once in front of a service in any language. A request with a key runs once upstream, and every
 * retry gets the recorded answer; everything else passes through.
 */
public final class Gateway implements AutoCloseable {

  private static final Duration MAX_CLOSE_TIME = Duration.ofSeconds(5);

  private static final Logger log = LoggerFactory.getLogger(Gateway.class);
  static final int LONGEST_LINE = 8 * 1024;
  private static final int LONGEST_HEAD = 32 * 1024;
  private static final long HEAP_PER_EVENT_LOOP = 32L * 1024 * 1024;

  private final GatewaySettings settings;
  private final Vertx vertx;
  private final Store store;
  private final Once once;
  private final GatewayState shared;
  private final List<ClientServer> clientServers = new ArrayList<>();
  private final @Nullable AdminServer admin;
  private final URI docs;
  private final RefusalFormat format;
  private final AtomicBoolean closed = new AtomicBoolean();

  private Gateway(GatewaySettings settings, RefusalFormat format) {
    this.settings = settings;
    this.format = format;
    HttpServerOptions options = serverOptions(settings); // reads files, and may fail
    if (settings.upstreamCa() != null) {
      TlsPair.readCertificates(settings.upstreamCa());
    }
    // The store is opened while Vert.x starts: both take most of their time with loading code.
    CompletableFuture<OnceMetrics> counting = new CompletableFuture<>();
    Runnable onFallback = () -> counting.thenAccept(OnceMetrics::fellBack);
    CompletableFuture<Store> opening =
        CompletableFuture.supplyAsync(() -> store(settings, onFallback));
    StrictHttp1 strict = new StrictHttp1(options, settings.clients());
    int eventLoops = eventLoops(Runtime.getRuntime());
    vertx = strict.vertx(new VertxOptions().setEventLoopPoolSize(eventLoops));
    vertx.exceptionHandler(
        failure -> {
          OutOfMemory.exitIfCausedBy(failure);
          log.error("unhandled", failure);
        });
    Once engine = null;
    try {
      PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
      OnceMetrics metrics = new OnceMetrics(registry);
      counting.complete(metrics);
      admin = settings.admin() == null ? null : new AdminServer(vertx, settings.admin(), registry);
      docs = settings.docs() != null ? settings.docs() : Problems.NO_PAGE;
      store = await(opening);
      engine = Once.builder(store).storeTimeout(settings.storeTimeout()).listener(metrics).build();
      once = engine;
      HeldBytes held = new HeldBytes(settings.clients().heldBytes());
      GatewayMetrics.register(registry, held, strict);
      shared = new GatewayState(once, held, reloadable(settings));
      for (int i = 0; i < eventLoops; i++) {
        clientServers.add(new ClientServer(shared, settings, options, strict, eventLoops));
      }
      deploy();
      if (admin != null) {
        admin.serve(shared, store, metrics);
      }
    } catch (RuntimeException e) {
      if (engine != null) {
        engine.close();
      }
      opening.thenAccept(Store::close);
      vertx.close();
      throw e;
    }
  }

  /**
   * Starts a gateway, and returns when it is ready.
   *
   * @throws GatewayException if it cannot: a port is taken, a file is bad, the store is not there
   */
  public static Gateway start(GatewaySettings settings) {
    return start(settings, RefusalFormat.OF_THE_POLICY);
  }

  /**
   * The same, with refusals in a format of the caller's own.
   *
   * @throws GatewayException if it cannot start
   */
  public static Gateway start(GatewaySettings settings, RefusalFormat format) {
    return new Gateway(settings, format);
  }

  /** Each may be at the canonical form of a body, which takes up to 15 times the body's size. */
  private static int eventLoops(Runtime runtime) {
    long fit = runtime.maxMemory() / HEAP_PER_EVENT_LOOP;
    return (int) Math.max(1, Math.min(runtime.availableProcessors(), fit));
  }

  private static HttpServerOptions serverOptions(GatewaySettings settings) {
    GatewaySettings.Address address = settings.listen();
    HttpServerOptions options =
        new HttpServerOptions()
            .setHost(address.host())
            // A negative port is any free one, the same for all event loops.
            .setPort(address.port() == 0 ? -1 : address.port())
            .setMaxInitialLineLength(LONGEST_LINE)
            .setMaxHeaderSize(LONGEST_HEAD)
            .setHandle100ContinueAutomatically(false);
    options.getInitialSettings().setMaxHeaderListSize(LONGEST_HEAD);
    GatewaySettings.Tls tls = settings.tls();
    if (tls != null) {
      options.setSsl(true).setUseAlpn(true).setKeyCertOptions(TlsFiles.atStart(tls));
    }
    return options;
  }

  private GatewayState.ReloadableSettings reloadable(GatewaySettings from) {
    return new GatewayState.ReloadableSettings(
        from.routes(),
        from.scopes(),
        new Rules("gateway", new Problems(docs, format)),
        new Cors(from.corsOrigins()),
        new ClientFields(from.trustedProxies(), from.scopes(), from.routes()));
  }

  private static Store store(GatewaySettings settings, Runnable onFallback) {
    try {
      return Stores.open(
          new StoreUrls(settings.store(), settings.cache(), settings.fallback()), onFallback);
    } catch (StoreException e) {
      throw new GatewayException(String.valueOf(e.getMessage()), e);
    }
  }

  private void deploy() {
    List<Future<String>> deployments = new ArrayList<>();
    for (ClientServer front : clientServers) {
      deployments.add(vertx.deployVerticle(front, new DeploymentOptions()));
    }
    GatewaySettings.Address address = settings.listen();
    await(
        Future.all(deployments)
            .toCompletionStage()
            .toCompletableFuture()
            .handle((done, failed) -> orThrow("listen", address, done, failed)));
    if (settings.tls() != null) {
      // One server in fact: all fronts share its port, and its certificate.
      TlsFiles.watch(vertx, settings.tls(), clientServers.get(0).server());
    }
  }

  static GatewayException failure(String what, GatewaySettings.Address address, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    String where = what + ": " + address.host() + ":" + address.port();
    if (cause instanceof BindException) {
      return new GatewayException(where + ": " + cause.getMessage() + "; choose another", cause);
    }
    if (cause instanceof UnknownHostException) {
      String expected = "an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them";
      return new GatewayException(where + ": unknown host (expected: " + expected + ")", cause);
    }
    return new GatewayException(where + ": " + cause, cause);
  }

  static <T> T orThrow(
      String what, GatewaySettings.Address address, T value, @Nullable Throwable failed) {
    if (failed != null) {
      throw failure(what, address, failed);
    }
    return value;
  }

  static <T> T await(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof GatewayException known
          ? known
          : new GatewayException(String.valueOf(e.getCause()), e.getCause());
    }
  }

  /** Where clients connect. */
  public int port() {
    return clientServers.get(0).server().actualPort();
  }

  /** Where operators connect; -1 if nowhere. */
  public int adminPort() {
    return admin == null ? -1 : admin.port();
  }

  /** The policy page, for people who operate the gateway: clients cannot reach the admin port. */
  public URI policyPage() {
    return settings.docs() != null || admin == null ? docs : admin.docs();
  }

  /** Takes routes, scopes and origins from new settings; requests that run keep the old ones. */
  public void reload(GatewaySettings changed) {
    shared.reload(reloadable(changed));
    log.info("configuration reloaded: {} routes", changed.routes().routes().size());
  }

  /**
   * Stops: takes no more connections, finishes what runs, for as long as the grace allows, hands
   * back what has not been sent upstream, and leaves the rest to the crash policy.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    CompletableFuture<Void> idle = shared.stop().toCompletableFuture();
    List<Future<Void>> shutdowns = clientServers.stream().map(ClientServer::shutdown).toList();
    try {
      idle.get(settings.grace().toMillis(), TimeUnit.MILLISECONDS);
      Future.all(shutdowns)
          .toCompletionStage()
          .toCompletableFuture()
          .get(settings.grace().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      log.warn("stopped with requests running; their keys are left to the crash policy");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (java.util.concurrent.ExecutionException e) {
      log.warn("server did not stop cleanly: {}", String.valueOf(e.getCause()));
    }
    endConnections();
    once.close();
    store.close();
  }

  /** For a limited time: one may be waiting for somebody to take what is to be sent. */
  private void endConnections() {
    try {
      vertx
          .close()
          .toCompletionStage()
          .toCompletableFuture()
          .get(MAX_CLOSE_TIME.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      log.warn("stopped with connections open: their clients do not read what is to be sent");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (java.util.concurrent.ExecutionException e) {
      log.warn("connections did not end cleanly: {}", String.valueOf(e.getCause()));
    }
  }
}
