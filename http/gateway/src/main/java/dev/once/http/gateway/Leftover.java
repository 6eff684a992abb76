package dev.once.http.gateway;

import dev.once.http.gateway.Patience.Wait;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * What is left of a request's body when its answer has been sent. To close the connection at once
 * would take the answer away from a client that still sends, so the rest is read and dropped, for a
 * limited time.
 */
final class Leftover {

  private Leftover() {}

  /**
   * Drops it.
   *
   * @param close whether the connection is of no use afterwards
   */
  static void drop(HttpServerRequest request, Patience patience, boolean close) {
    boolean closes = close && request.version() != HttpVersion.HTTP_2;
    if (request.isEnded()) {
      if (closes) {
        request.connection().close();
      }
      return;
    }
    Wait wait = patience.start(() -> cut(request));
    endWithConnection(wait, request);
    request
        .handler(chunk -> {})
        .exceptionHandler(left -> wait.end())
        .endHandler(
            end -> {
              wait.end();
              if (closes) {
                request.connection().close();
              }
            });
    Pump.resume(request);
  }

  /**
   * An answer was sent, so that Vert.x tells nobody when the client leaves. Of each of a thousand
   * that left, this would keep all that belongs to its connection for as long as the patience.
   */
  private static void endWithConnection(Wait wait, HttpServerRequest request) {
    if (request.version() != HttpVersion.HTTP_2
        && request.connection() instanceof ConnectionBase connection) {
      connection.channel().closeFuture().addListener(closed -> wait.end());
    }
  }

  /** Ends the request without reading more of it. */
  static void cut(HttpServerRequest request) {
    if (request.version() == HttpVersion.HTTP_2) {
      request.response().reset(0);
    } else {
      request.connection().close();
    }
  }
}
