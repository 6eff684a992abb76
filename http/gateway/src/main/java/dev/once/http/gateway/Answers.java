package dev.once.http.gateway;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;

/** Tells a connection of HTTP/1 when an answer was written to its end, though perhaps not sent. */
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
      connection.answered();
    }
    context.write(message, promise);
  }
}
