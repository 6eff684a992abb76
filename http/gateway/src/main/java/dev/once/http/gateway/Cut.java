package dev.once.http.gateway;

import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;

/** Ends an exchange in the middle, so that the client sees that it was not the end. */
final class Cut {

  private Cut() {}

  /**
   * At once: past the handlers of Vert.x, which would first send what is to be sent, and a client
   * that stalls never takes it.
   */
  static void off(HttpServerRequest request) {
    if (request.version() != HttpVersion.HTTP_2
        && request.connection() instanceof ConnectionBase connection) {
      ChannelHandlerContext first = connection.channel().pipeline().firstContext();
      if (first != null) {
        first.close();
      }
    } else {
      request.response().reset();
    }
  }
}
