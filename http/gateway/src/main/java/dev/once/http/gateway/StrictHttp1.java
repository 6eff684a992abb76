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
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AsciiString;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.Http1xOrH2CHandler;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.net.impl.ShutdownEvent;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

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

  static final int MAX_FIELDS = 200;

  private final HttpServerOptions options;
  private final ClientLimits limits;
  private final List<ClientConnections> ports = new CopyOnWriteArrayList<>();
  private final AtomicInteger streams = new AtomicInteger();

  StrictHttp1(HttpServerOptions options, ClientLimits limits) {
    this.options = options;
    this.limits = limits;
  }

  /** How many connections of clients and operators are open. */
  int connections() {
    return ports.stream().mapToInt(ClientConnections::open).sum();
  }

  /** How many connections were closed because there were too many. */
  long refusedConnections() {
    return ports.stream().mapToLong(ClientConnections::refused).sum();
  }

  /** How many connections without a request were closed for new ones. */
  long evictedConnections() {
    return ports.stream().mapToLong(ClientConnections::evicted).sum();
  }

  /** Counts what is asked on a connection of HTTP/2. */
  void countStreams(Channel channel) {
    Http2ConnectionHandler http2 = channel.pipeline().get(Http2ConnectionHandler.class);
    ClientConnection client = ClientConnection.of(channel);
    if (http2 != null && client != null) {
      int active = http2.connection().numActiveStreams(); // one, if it came as HTTP/1
      streams.addAndGet(active);
      client.becameHttp2(active);
      // Netty waits for the client to acknowledge the limit, and who never does has none.
      http2
          .connection()
          .remote()
          .maxActiveStreams((int) options.getInitialSettings().getMaxConcurrentStreams());
      http2
          .connection()
          .addListener(
              new Http2ConnectionAdapter() {
                @Override
                public void onStreamActive(Http2Stream stream) {
                  streams.incrementAndGet();
                  client.streamBegan();
                }

                @Override
                public void onStreamClosed(Http2Stream stream) {
                  streams.decrementAndGet();
                  client.answerWritten();
                }
              });
    }
  }

  /**
   * Whether there are too many streams, and a client has more than its share of them. One stream
   * each connection may have: or a few with many would shut out all others. All others are half as
   * many as there may be connections, because each has a head in memory beside those of HTTP/1.
   */
  boolean hasTooManyStreams(HttpServerRequest request) {
    int most = Math.max(1, limits.connections() / 2);
    if (streams.get() <= most) {
      return false;
    }
    ClientConnection client = ClientConnection.of(request);
    return client == null || client.streams() > Math.max(1, most / Math.max(1, connections()));
  }

  /** Vert.x, with this transport. */
  Vertx vertx(VertxOptions vertxOptions) {
    // No file is served or looked for in jars: else Vert.x makes a folder for copies at each start.
    vertxOptions.setFileSystemOptions(
        new FileSystemOptions().setClassPathResolvingEnabled(false).setFileCachingEnabled(false));
    return VertxBootstrap.create().options(vertxOptions).transport(this).init().vertx();
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
    return domainSocket ? super.serverChannelFactory(true) : Acceptor::new;
  }

  @Override
  public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
    return domainSocket ? super.channelFactory(true) : StrictHttp1::outgoing;
  }

  private static Channel outgoing() {
    Channel channel = new NioSocketChannel();
    ReadLimit.applyTo(channel);
    return channel;
  }

  /** For a connection whose first request is yet to come; harmless for others. */
  void onConnection(Channel channel) {
    if (channel.pipeline().get(SslHandler.class) != null) {
      replaceDecoder(channel.pipeline());
    }
  }

  private void replaceDecoder(ChannelPipeline pipeline) {
    if (pipeline.get(DECODER) != null) {
      ClientConnection client = ClientConnection.of(pipeline.channel());
      pipeline.replace(DECODER, DECODER, new StrictDecoder(options, client));
      if (client != null) {
        pipeline.addAfter("httpEncoder", "answers", new AnswerWriteObserver(client));
      }
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

    private final ClientConnections port = new ClientConnections(limits.connections());

    Acceptor() {
      ports.add(port);
    }

    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
      int count = super.doReadMessages(accepted);
      if (count > 0) {
        Channel channel = (Channel) accepted.get(accepted.size() - 1);
        ClientConnection client = new ClientConnection(channel, limits);
        if (!port.tryAdd(channel, client)) {
          accepted.remove(accepted.size() - 1);
          channel.unsafe().closeForcibly();
          return count;
        }
        ReadLimit.applyTo(channel);
        channel.pipeline().addFirst(client, new FirstBytes(client));
      }
      return count;
    }
  }

  private final class FirstBytes extends ChannelInboundHandlerAdapter {

    /** HTTP/2 opens with it, to the last byte; what is only alike is HTTP/1.1. */
    private static final String PREFACE = Http1xOrH2CHandler.HTTP_2_PREFACE;

    private final ClientConnection client;
    private ByteBuf seen = Unpooled.EMPTY_BUFFER;

    FirstBytes(ClientConnection client) {
      this.client = client;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (context.pipeline().get(SslHandler.class) != null) {
        context.pipeline().remove(this);
        context.fireChannelRead(message);
        return;
      }
      client.headBytesReceived();
      seen = Unpooled.wrappedBuffer(seen, (ByteBuf) message);
      int length = Math.min(seen.readableBytes(), PREFACE.length());
      boolean mayBePreface = true;
      for (int i = 0; i < length; i++) {
        mayBePreface &= seen.getByte(seen.readerIndex() + i) == PREFACE.charAt(i);
      }
      if (mayBePreface && length < PREFACE.length()) {
        return;
      }
      if (mayBePreface) {
        client.headEnded();
      } else {
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
  static final class StrictDecoder extends VertxHttpRequestDecoder {

    /** What may be held back; beyond, no more is read. */
    private static final int MAX_HELD = 64 * 1024;

    private final @Nullable ClientConnection client;
    private boolean asked;
    private int fields;
    private boolean held;
    private @Nullable ChannelHandlerContext context;

    StrictDecoder(HttpServerOptions options, @Nullable ClientConnection client) {
      super(options);
      this.client = client;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
      if (asked) {
        super.userEventTriggered(context, event);
      } else {
        passOrClose(context, event);
      }
    }

    /** See {@link EarlyBytes}. */
    void hold() {
      held = true;
    }

    byte[] takeHeld() {
      byte[] bytes = new byte[internalBuffer().readableBytes()];
      internalBuffer().readBytes(bytes);
      readAgain();
      return bytes;
    }

    /** Not at once: this may be called while it decodes. */
    void resume() {
      ChannelHandlerContext own = context;
      if (held && own != null) {
        own.executor().execute(() -> resume(own));
      }
    }

    private void resume(ChannelHandlerContext own) {
      held = false;
      readAgain();
      try {
        channelRead(own, Unpooled.EMPTY_BUFFER);
        channelReadComplete(own);
      } catch (Exception e) {
        own.fireExceptionCaught(e);
      }
    }

    private void readAgain() {
      if (context != null) {
        context.channel().config().setAutoRead(true);
      }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) throws Exception {
      this.context = context;
      super.handlerAdded(context);
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out)
        throws Exception {
      if (held) {
        if (in.readableBytes() > MAX_HELD) {
          context.channel().config().setAutoRead(false);
        }
        return;
      }
      int before = out.size();
      super.decode(context, in, out);
      if (out.size() == before) {
        if (client != null) {
          client.headBytesReceived();
        }
        return;
      }
      asked = true;
      for (int i = before; i < out.size(); i++) {
        Object part = out.get(i);
        if (part instanceof DefaultHttpRequest request) { // as the decoder makes them
          began(request);
        }
        if (client != null && part instanceof LastHttpContent) {
          client.bodyEnded();
        }
      }
    }

    private void began(HttpRequest request) {
      fields = 0;
      if (client != null) {
        client.requestBegan();
      }
      if (request.headers().contains(HttpHeaderNames.UPGRADE) && !isPlain(request)) {
        request.headers().remove(HttpHeaderNames.UPGRADE);
      }
    }

    /** A field takes far more memory than its few bytes on the wire. */
    @Override
    protected AsciiString splitHeaderName(byte[] line, int start, int length) {
      if (++fields > MAX_FIELDS) {
        throw new TooLongHttpHeaderException(
            "more than " + MAX_FIELDS + " header fields (expected: fewer)");
      }
      return super.splitHeaderName(line, start, length);
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
