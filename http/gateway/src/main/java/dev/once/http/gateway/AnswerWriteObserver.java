package dev.once.http.gateway;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;

/** Tells an HTTP/1 connection when an answer was completely written; it may not be sent yet. */
final class AnswerWriteObserver extends ChannelOutboundHandlerAdapter {

  private static final int SWITCHING_PROTOCOLS = 101;

  /** To which Vert.x itself changes a connection, and whose silence has a limit. */
  private static final String HTTP_2 = "h2c";

  private final ClientConnection connection;

  AnswerWriteObserver(ClientConnection connection) {
    this.connection = connection;
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (message instanceof FullHttpResponse whole) {
      observeHead(whole, true);
    } else if (message instanceof HttpResponse head) {
      observeHead(head, false);
    } else if (message instanceof LastHttpContent) {
      connection.answerWritten();
    }
    context.write(message, promise);
  }

  private void observeHead(HttpResponse head, boolean whole) {
    int status = head.status().code();
    if (status == SWITCHING_PROTOCOLS) {
      if (!head.headers().contains(HttpHeaderNames.UPGRADE, HTTP_2, true)) {
        connection.becameWebSocket();
      }
    } else if (whole && status >= 200) {
      connection.answerWritten();
    }
  }
}
