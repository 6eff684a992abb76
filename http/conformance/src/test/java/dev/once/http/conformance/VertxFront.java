package dev.once.http.conformance;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.KeyCertOptions;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** HTTP/2 for the reference server: by upgrade without TLS, by ALPN with it. */
final class VertxFront implements AutoCloseable {

  private final Vertx vertx = Vertx.vertx();
  private final Function<Incoming, Outgoing> handler;
  private final HttpServer server;
  private final String scheme;

  VertxFront(@Nullable KeyCertOptions certificate, Function<Incoming, Outgoing> handler)
      throws Exception {
    this.handler = handler;
    this.scheme = certificate == null ? "http" : "https";
    HttpServerOptions options = new HttpServerOptions().setHost("localhost").setPort(0);
    if (certificate != null) {
      options.setSsl(true).setUseAlpn(true).setKeyCertOptions(certificate);
    }
    this.server =
        vertx
            .createHttpServer(options)
            .requestHandler(request -> request.body().onSuccess(body -> serve(request, body)))
            .listen()
            .toCompletionStage()
            .toCompletableFuture()
            .get(300, TimeUnit.SECONDS);
  }

  String origin() {
    return scheme + "://localhost:" + server.actualPort();
  }

  private void serve(HttpServerRequest request, Buffer body) {
    Map<String, List<String>> headers = new HashMap<>();
    for (String name : request.headers().names()) {
      headers.put(name.toLowerCase(Locale.ROOT), request.headers().getAll(name));
    }
    String query = request.query() == null ? "" : request.query();
    Incoming incoming =
        new Incoming(
            request.method().name(), request.path(), query, headers, body.toString("UTF-8"));
    vertx
        .executeBlocking(() -> handler.apply(incoming), false)
        .onSuccess(
            answer -> {
              answer.headers().forEach(h -> request.response().headers().add(h.name(), h.value()));
              request.response().setStatusCode(answer.status()).end(answer.body());
            });
  }

  @Override
  public void close() {
    vertx.close();
  }
}
