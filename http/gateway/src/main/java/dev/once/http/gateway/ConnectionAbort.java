package dev.once.http.gateway;

import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Aborts an exchange, so that the other side sees that it is incomplete. This bypasses the handlers
 * of Vert.x: they would first send what is queued, and a client that does not read would keep the
 * connection open.
 */
final class ConnectionAbort {

  /** Not {@code NO_ERROR}: clients treat that as the regular end of an answer without a length. */
  private static final long INTERNAL_ERROR = 2;

  private ConnectionAbort() {}

  static void abort(HttpServerRequest request) {
    if (request.version() == HttpVersion.HTTP_2) {
      request.response().reset(INTERNAL_ERROR);
    } else {
      abort(request.connection());
    }
  }

  static void abort(HttpConnection connection) {
    if (connection instanceof ConnectionBase known) {
      ChannelHandlerContext first = known.channel().pipeline().firstContext();
      if (first != null) {
        first.close();
      }
    }
  }
}
