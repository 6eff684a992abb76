package dev.once.http.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.ssl.SslHandler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.Http1xOrH2CHandler;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.net.impl.ShutdownEvent;
import java.util.List;

/**
 * Makes the server refuse what its decoder would repair in silence: a request with both a length
 * and chunks, the usual shape of request smuggling. Vert.x has no setting for it, so the decoder is
 * replaced, before it has seen a byte of a request:
 *
 * <ul>
 *   <li>On TLS, Vert.x sets the connection up before the first request; {@link #onConnection} does
 *       it then.
 *   <li>On plain connections, Vert.x first waits for bytes, to tell HTTP/1.1 from HTTP/2. A handler
 *       in front of all others looks at them: if they are not HTTP/2, it sends an empty line ahead,
 *       which HTTP allows and decoders skip, and by which Vert.x decides; replaces the decoder; and
 *       goes.
 * </ul>
 */
final class StrictHttp1 extends NioTransport {

  private static final String DECODER = "httpDecoder";

  private final HttpServerOptions options;

  StrictHttp1(HttpServerOptions options) {
    this.options = options;
  }

  /** Vert.x, with this transport. */
  Vertx vertx(VertxOptions vertxOptions) {
    return VertxBootstrap.create().options(vertxOptions).transport(this).init().vertx();
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
    return domainSocket ? super.serverChannelFactory(true) : Acceptor::new;
  }

  /** For a connection whose first request is yet to come; harmless for others. */
  void onConnection(Channel channel) {
    if (channel.pipeline().get(SslHandler.class) != null) {
      replaceDecoder(channel.pipeline());
    }
  }

  private void replaceDecoder(ChannelPipeline pipeline) {
    if (pipeline.get(DECODER) != null) {
      pipeline.replace(DECODER, DECODER, new StrictDecoder(options));
    }
  }

  /** If the server stops, Vert.x would wait for a connection on which nothing was asked yet. */
  private static void passOrClose(ChannelHandlerContext context, Object event) {
    if (event instanceof ShutdownEvent) {
      context.close();
    } else {
      context.fireUserEventTriggered(event);
    }
  }

  private final class Acceptor extends NioServerSocketChannel {
    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
      int count = super.doReadMessages(accepted);
      for (Object channel : accepted) {
        ((Channel) channel).pipeline().addFirst(new FirstBytes());
      }
      return count;
    }
  }

  private final class FirstBytes extends ChannelInboundHandlerAdapter {

    /** HTTP/2 opens with it, to the last byte; what is only alike is HTTP/1.1. */
    private static final String PREFACE = Http1xOrH2CHandler.HTTP_2_PREFACE;

    private ByteBuf seen = Unpooled.EMPTY_BUFFER;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (context.pipeline().get(SslHandler.class) != null) {
        context.pipeline().remove(this);
        context.fireChannelRead(message);
        return;
      }
      seen = Unpooled.wrappedBuffer(seen, (ByteBuf) message);
      int length = Math.min(seen.readableBytes(), PREFACE.length());
      boolean mayBePreface = true;
      for (int i = 0; i < length; i++) {
        mayBePreface &= seen.getByte(seen.readerIndex() + i) == PREFACE.charAt(i);
      }
      if (mayBePreface && length < PREFACE.length()) {
        return;
      }
      if (!mayBePreface) {
        context.fireChannelRead(Unpooled.wrappedBuffer(new byte[] {'\r', '\n'}));
        replaceDecoder(context.pipeline());
      }
      ByteBuf bytes = seen;
      seen = Unpooled.EMPTY_BUFFER;
      context.fireChannelRead(bytes);
      context.pipeline().remove(this);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      passOrClose(context, event);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
      seen.release();
    }
  }

  /**
   * Besides, it hides the wish to go on in HTTP/2 where that could hide something else: Vert.x
   * grants it before anybody has looked at the request.
   */
  private static final class StrictDecoder extends VertxHttpRequestDecoder {

    private boolean asked;

    StrictDecoder(HttpServerOptions options) {
      super(options);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
      if (asked) {
        super.userEventTriggered(context, event);
      } else {
        passOrClose(context, event);
      }
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out)
        throws Exception {
      int before = out.size();
      super.decode(context, in, out);
      asked |= out.size() > before;
      for (int i = before; i < out.size(); i++) {
        if (out.get(i) instanceof HttpRequest request
            && request.headers().contains(HttpHeaderNames.UPGRADE)
            && !isPlain(request)) {
          request.headers().remove(HttpHeaderNames.UPGRADE);
        }
      }
    }

    /** Well-formed, without a body, and for one host. */
    private static boolean isPlain(HttpRequest request) {
      HttpHeaders headers = request.headers();
      return request.decoderResult().isSuccess()
          && !headers.contains(HttpHeaderNames.TRANSFER_ENCODING)
          && (!headers.contains(HttpHeaderNames.CONTENT_LENGTH)
              || headers.contains(HttpHeaderNames.CONTENT_LENGTH, "0", true))
          && headers.getAll(HttpHeaderNames.HOST).size() == 1;
    }

    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
      throw new IllegalArgumentException("both Content-Length and Transfer-Encoding");
    }
  }
}
