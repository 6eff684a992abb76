package dev.once.http.gateway;

import dev.once.core.store.Store;
import dev.once.http.semantics.PolicyPage;
import dev.once.ops.micrometer.OnceMetrics;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The HTTP server for operators: health, metrics, and the published policy. */
final class AdminServer {

  static final String DOCS = "/docs/idempotency";

  private static final long COUNT_EVERY_MILLIS = 30_000;
  private static final long PAUSES_PER_COUNT = 100;
  private static final long PROBE_MILLIS = 2_000;

  private final Vertx vertx;
  private final GatewaySettings.Address address;
  private final PrometheusMeterRegistry registry;
  private final HttpServer server;
  private volatile @Nullable GatewayState shared;

  AdminServer(Vertx vertx, GatewaySettings.Address address, PrometheusMeterRegistry registry) {
    this.vertx = vertx;
    this.address = address;
    this.registry = registry;
    HttpServerOptions options =
        new HttpServerOptions()
            .setHost(address.host())
            .setPort(address.port())
            .setHttp2ClearTextEnabled(false); // one request at a time is enough
    server =
        Gateway.await(
            vertx
                .createHttpServer(options)
                .requestHandler(this::handle)
                .listen()
                .toCompletionStage()
                .toCompletableFuture()
                .handle((done, failed) -> Gateway.orThrow("admin", address, done, failed)));
  }

  int port() {
    return server.actualPort();
  }

  URI docs() {
    String host =
        switch (address.host()) {
          case "0.0.0.0", "::" -> "localhost";
          default -> address.host().contains(":") ? "[" + address.host() + "]" : address.host();
        };
    return URI.create("http://" + host + ":" + port() + DOCS);
  }

  /** The gateway is up: from now on it is ready, and its store is counted. */
  void serve(GatewayState running, Store opened, OnceMetrics metrics) {
    shared = running;
    count(opened, metrics);
  }

  /** Counting looks at every record in some stores: the longer it takes, the more seldom it is. */
  private void count(Store counted, OnceMetrics metrics) {
    long begun = System.nanoTime();
    counted
        .inspection()
        .count()
        .thenAccept(metrics::stored)
        .whenComplete(
            (done, failure) -> {
              long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
              long pause = Math.max(COUNT_EVERY_MILLIS, took * PAUSES_PER_COUNT);
              vertx.setTimer(pause, any -> count(counted, metrics));
            });
  }

  private void handle(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
      text(response.putHeader("Allow", "GET, HEAD"), 405, "GET or HEAD only\n");
      return;
    }
    switch (request.path()) {
      case "/health/live" -> text(response, 200, "live\n");
      case "/health/ready" -> ready(response);
      case "/metrics" ->
          response
              .putHeader("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
              .end(registry.scrape());
      case DOCS -> page(response);
      case "/" -> response.setStatusCode(302).putHeader("Location", DOCS).end();
      default ->
          text(
              response,
              404,
              "not here; there are /health/live, /health/ready, /metrics and " + DOCS + "\n");
    }
  }

  private void page(HttpServerResponse response) {
    GatewayState running = shared;
    if (running == null) {
      text(response, 503, "starting\n");
      return;
    }
    response
        .putHeader("Content-Type", "text/html; charset=utf-8")
        .putHeader("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
        .end(PolicyPage.render(running.settings().routes()));
  }

  /** Ready is: not stopping, and the store takes what is written. */
  private void ready(HttpServerResponse response) {
    GatewayState running = shared;
    if (running == null) {
      text(response, 503, "starting\n");
    } else if (running.isStopping()) {
      text(response, 503, "stopping\n");
    } else {
      running
          .once()
          .canRecord()
          .toCompletableFuture()
          .copy()
          .completeOnTimeout(false, PROBE_MILLIS, TimeUnit.MILLISECONDS)
          .thenAccept(
              can ->
                  text(
                      response,
                      can ? 200 : 503,
                      can ? "ready\n" : "the store cannot be written\n"));
    }
  }

  private static void text(HttpServerResponse response, int status, String text) {
    response
        .setStatusCode(status)
        .putHeader("Content-Type", "text/plain; charset=utf-8")
        .putHeader("Cache-Control", "no-store")
        .end(text);
  }
}
