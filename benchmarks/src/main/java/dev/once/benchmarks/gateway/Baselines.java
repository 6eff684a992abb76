package dev.once.benchmarks.gateway;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.PoolOptions;
import io.vertx.httpproxy.HttpProxy;
import java.util.function.Function;

/**
 * The bare things that the gateway is compared with, each a process of its own, with as many event
 * loops as the gateway has: {@code echo PORT}, {@code proxy PORT UPSTREAM_PORT}, {@code hello
 * PORT}.
 */
public final class Baselines {

  private Baselines() {}

  public static void main(String[] arguments) {
    int port = Integer.parseInt(arguments[1]);
    serve(
        port,
        switch (arguments[0]) {
          case "echo" -> vertx -> Baselines::echo;
          case "proxy" -> vertx -> proxy(vertx, Integer.parseInt(arguments[2]));
          default -> vertx -> request -> request.response().end("hello");
        });
  }

  private static void serve(int port, Function<Vertx, Handler<HttpServerRequest>> handler) {
    int eventLoops = Runtime.getRuntime().availableProcessors();
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(eventLoops));
    for (int i = 0; i < eventLoops; i++) {
      vertx.deployVerticle(
          new AbstractVerticle() {
            @Override
            public void start(Promise<Void> started) {
              vertx
                  .createHttpServer()
                  .requestHandler(handler.apply(vertx))
                  .listen(port, "127.0.0.1")
                  .<Void>mapEmpty()
                  .onComplete(started);
            }
          });
    }
  }

  private static void echo(HttpServerRequest request) {
    request
        .body()
        .onSuccess(
            body ->
                request
                    .response()
                    .setStatusCode(201)
                    .putHeader("Content-Type", "application/json")
                    .end(body));
  }

  private static Handler<HttpServerRequest> proxy(Vertx vertx, int upstream) {
    HttpClient client =
        vertx.createHttpClient(new HttpClientOptions(), new PoolOptions().setHttp1MaxSize(128));
    HttpProxy proxy = HttpProxy.reverseProxy(client);
    proxy.origin(upstream, "127.0.0.1");
    return proxy;
  }
}
