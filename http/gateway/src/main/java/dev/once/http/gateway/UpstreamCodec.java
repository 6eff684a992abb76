package dev.once.http.gateway;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.CombinedChannelDuplexHandler;
import io.netty.channel.nio.AbstractNioChannel.NioUnsafe;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpClientConnectionInternal;
import io.vertx.core.net.impl.ConnectionBase;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 on one connection to the upstream, in the place of the codec of Vert.x, which keeps what
 * is left of one answer for the next.
 *
 * <p>HTTP/1.1 says nowhere which request an answer belongs to, but by the order. So what has come
 * before a request is sent must not be taken for its answer. Bytes that the event loop has read are
 * known to the {@link AnswerDecoder}; those that wait in the socket are looked for when a
 * connection is taken, and once more when the request is written late. What is still on the network
 * by then cannot be told from a quick answer.
 */
final class UpstreamCodec extends CombinedChannelDuplexHandler<AnswerDecoder, HttpRequestEncoder> {

  private static final String NAME = "codec";

  /** A request is mostly written at once when its connection was taken; then one look is enough. */
  private static final long RECENT_NANOS = 1_000_000;

  /** A look costs as much as a twentieth of a request. */
  private static final long MOMENT_NANOS = 5_000_000;

  private final HttpClientConnectionInternal connection;
  private final AnswerDecoder decoder;
  private final ByteBuffer scratch;
  private final Channel channel;

  /** Then what is read here is not what came in the socket. */
  private final boolean tls;

  /** When the socket was last looked at, in nanoseconds. */
  private long checkedAt;

  private boolean refused;

  private UpstreamCodec(
      HttpClientConnectionInternal connection,
      AnswerDecoder decoder,
      ByteBuffer scratch,
      Channel channel,
      boolean tls) {
    super(decoder, new HttpRequestEncoder());
    this.connection = connection;
    this.decoder = decoder;
    this.scratch = scratch;
    this.channel = channel;
    this.tls = tls;
  }

  /**
   * For a connection on which nothing was asked.
   *
   * @param scratch of the event loop, for bytes that nobody wants
   */
  static void install(
      HttpConnection connection,
      HttpHeadersFactory fields,
      UnsolicitedBytes unsolicited,
      ByteBuffer scratch) {
    if (connection instanceof HttpClientConnectionInternal client
        && connection instanceof ConnectionBase known) {
      Channel channel = known.channel();
      boolean tls = channel.pipeline().get(SslHandler.class) != null;
      AnswerDecoder decoder = new AnswerDecoder(fields, unsolicited, tls);
      UpstreamCodec codec = new UpstreamCodec(client, decoder, scratch, channel, tls);
      channel.pipeline().replace(NAME, NAME, codec);
      // Or Vert.x logs what went wrong by itself, with words of the upstream in it.
      connection.exceptionHandler(any -> {});
    }
  }

  static @Nullable UpstreamCodec of(HttpConnection connection) {
    return connection instanceof ConnectionBase known
            && known.channel().pipeline().get(NAME) instanceof UpstreamCodec codec
        ? codec
        : null;
  }

  /** Whether the connection is in the middle of reading, and cannot be looked at. */
  boolean isReading() {
    return decoder.isReading();
  }

  /**
   * Whether nothing has come that nobody asked for, and the upstream has not closed.
   *
   * @param always if not, a connection that was read to its end a moment ago is not looked at: what
   *     came since is mostly seen by the event loop
   */
  boolean isUsable(boolean always) {
    checkedAt = System.nanoTime();
    if (always || tls || !decoder.hasReadAllSince(checkedAt - MOMENT_NANOS)) {
      readPending();
    }
    return !decoder.isUnusable() && channel.isActive();
  }

  /** Whether a request was not sent, because something had come before it. */
  boolean hasRefused() {
    return refused;
  }

  /** Reads what waits in the socket; over TLS that may be no more than a new ticket. */
  private void readPending() {
    if (decoder.isUnusable()
        || !(channel.unsafe() instanceof NioUnsafe unsafe)
        || !(unsafe.ch() instanceof SocketChannel socket)) {
      return;
    }
    try {
      for (int count = read(socket); count != 0; count = read(socket)) {
        if (count < 0) {
          channel.close();
          return;
        }
        channel.pipeline().fireChannelRead(Unpooled.copiedBuffer(scratch.flip()));
        channel.pipeline().fireChannelReadComplete();
      }
    } catch (IOException e) {
      channel.close();
    }
  }

  private int read(SocketChannel socket) throws IOException {
    return decoder.isUnusable() || !socket.isOpen() ? 0 : socket.read(scratch.clear());
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
      throws Exception {
    if (message instanceof HttpRequest request) {
      boolean recent = System.nanoTime() - checkedAt < RECENT_NANOS;
      if (recent ? decoder.isUnusable() : !isUsable(true)) {
        refused = true;
        ReferenceCountUtil.release(message);
        promise.tryFailure(new BadAnswerException("the upstream spoke before it was asked"));
        context.close();
        return;
      }
      decoder.requestSending(request);
    }
    super.write(context, message, promise);
  }

  /** Over TLS an upstream says that it sends no more; its connection may stay open for long. */
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
    super.userEventTriggered(context, event);
    if (event instanceof SslCloseCompletionEvent goodbye && goodbye.isSuccess()) {
      decoder.closeNotifyReceived();
      context.close();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) throws Exception {
    super.channelReadComplete(context);
    // If somebody has it, it is closed by the end of the answer, or when it would be used.
    if (decoder.isUnusable() && connection.activeStreams() == 0) {
      channel.close();
    }
  }
}
