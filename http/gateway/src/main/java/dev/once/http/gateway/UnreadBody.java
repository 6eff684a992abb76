package dev.once.http.gateway;

import dev.once.http.gateway.IdleTimeouts.Timeout;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * The part of a request's body that is unread when its answer has been sent. A client that still
 * sends could lose the answer if the connection were closed at once, so the rest is read and
 * dropped, for a limited time.
 */
final class UnreadBody {

  private UnreadBody() {}

  /**
   * Drops it.
   *
   * @param close whether the connection is of no use afterwards
   */
  static void discard(HttpServerRequest request, IdleTimeouts timeouts, boolean close) {
    boolean closes = close && request.version() != HttpVersion.HTTP_2;
    if (request.isEnded()) {
      if (closes) {
        request.connection().close();
      }
      return;
    }
    Runnable done = cancelWhenClosed(timeouts.start(() -> abort(request)), request);
    request
        .handler(chunk -> {})
        .exceptionHandler(left -> done.run())
        .endHandler(
            end -> {
              done.run();
              if (closes) {
                request.connection().close();
              }
            });
    BodyPipe.resume(request);
  }

  /**
   * An answer was sent, so that Vert.x tells nobody when the client leaves. Without this,
   * everything that belongs to the connection of a client that left would stay in memory for as
   * long as the timeout.
   *
   * @return what ends it before that; or a connection would keep all its requests for as long as it
   *     is open
   */
  private static Runnable cancelWhenClosed(Timeout timeout, HttpServerRequest request) {
    if (request.version() == HttpVersion.HTTP_2
        || !(request.connection() instanceof ConnectionBase connection)) {
      return timeout::cancel;
    }
    ChannelFuture closed = connection.channel().closeFuture();
    ChannelFutureListener listener = any -> timeout.cancel();
    closed.addListener(listener);
    return () -> {
      timeout.cancel();
      closed.removeListener(listener);
    };
  }

  /** Ends the request without reading more of it. */
  static void abort(HttpServerRequest request) {
    if (request.version() == HttpVersion.HTTP_2) {
      request.response().reset(0);
    } else {
      request.connection().close();
    }
  }
}
