package dev.once.http.gateway;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;

/** Tells a connection of HTTP/1 when an answer was sent, to the last byte. */
final class Answers extends ChannelOutboundHandlerAdapter {

  private static final int SWITCHING_PROTOCOLS = 101;

  private final ClientConnection connection;

  Answers(ClientConnection connection) {
    this.connection = connection;
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    int status = message instanceof HttpResponse head ? head.status().code() : 200;
    if (status == SWITCHING_PROTOCOLS) {
      connection.becameTunnel();
    } else if (status >= 200 && message instanceof LastHttpContent) {
      context.write(message, promise.unvoid().addListener(any -> connection.answered()));
      return;
    }
    context.write(message, promise);
  }
}
