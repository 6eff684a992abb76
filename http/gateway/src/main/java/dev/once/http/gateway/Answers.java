package dev.once.http.gateway;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;

/** Tells a connection of HTTP/1 when an answer was written to its end, though perhaps not sent. */
final class Answers extends ChannelOutboundHandlerAdapter {

  private static final int SWITCHING_PROTOCOLS = 101;

  /** To which Vert.x itself changes a connection, and whose silence has a limit. */
  private static final String HTTP_2 = "h2c";

  private final ClientConnection connection;

  Answers(ClientConnection connection) {
    this.connection = connection;
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (message instanceof FullHttpResponse whole) {
      note(whole, true);
    } else if (message instanceof HttpResponse head) {
      note(head, false);
    } else if (message instanceof LastHttpContent) {
      connection.answered();
    }
    context.write(message, promise);
  }

  private void note(HttpResponse head, boolean whole) {
    int status = head.status().code();
    if (status == SWITCHING_PROTOCOLS) {
      if (!head.headers().contains(HttpHeaderNames.UPGRADE, HTTP_2, true)) {
        connection.becameTunnel();
      }
    } else if (whole && status >= 200) {
      connection.answered();
    }
  }
}
