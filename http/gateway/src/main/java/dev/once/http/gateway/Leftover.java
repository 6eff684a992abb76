package dev.once.http.gateway;

import dev.once.http.gateway.Patience.Wait;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
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
    Runnable over = endWithConnection(patience.start(() -> cut(request)), request);
    request
        .handler(chunk -> {})
        .exceptionHandler(left -> over.run())
        .endHandler(
            end -> {
              over.run();
              if (closes) {
                request.connection().close();
              }
            });
    Pump.resume(request);
  }

  /**
   * An answer was sent, so that Vert.x tells nobody when the client leaves. Of each of a thousand
   * that left, this would keep all that belongs to its connection for as long as the patience.
   *
   * @return what ends it before that; or a connection would keep all its requests for as long as it
   *     is open
   */
  private static Runnable endWithConnection(Wait wait, HttpServerRequest request) {
    if (request.version() == HttpVersion.HTTP_2
        || !(request.connection() instanceof ConnectionBase connection)) {
      return wait::end;
    }
    ChannelFuture closed = connection.channel().closeFuture();
    ChannelFutureListener listener = any -> wait.end();
    closed.addListener(listener);
    return () -> {
      wait.end();
      closed.removeListener(listener);
    };
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
