package dev.once.http.gateway;

import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Ends an exchange in the middle, so that the other side sees that it was not the end. At once:
 * past the handlers of Vert.x, which would first send what is to be sent, and whoever stalls never
 * takes it.
 */
final class Cut {

  /** Not {@code NO_ERROR}: clients take that for the end of an answer without a length. */
  private static final long INTERNAL_ERROR = 2;

  private Cut() {}

  static void off(HttpServerRequest request) {
    if (request.version() == HttpVersion.HTTP_2) {
      request.response().reset(INTERNAL_ERROR);
    } else {
      off(request.connection());
    }
  }

  static void off(HttpConnection connection) {
    if (connection instanceof ConnectionBase known) {
      ChannelHandlerContext first = known.channel().pipeline().firstContext();
      if (first != null) {
        first.close();
      }
    }
  }
}
