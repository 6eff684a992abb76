package dev.once.http.gateway;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends a client's connection that takes too long to send a head, that is open without a request for
 * too long, or whose client takes nothing of what is sent to it. Stands before all other handlers,
 * so that to close here is to close at once.
 *
 * <p>There is one timer for each connection, none for each request: it looks at what the connection
 * waits for, and comes back when that could be too long.
 *
 * <ul>
 *   <li>HTTP/1: the decoder says when bytes of a head come, and when a request began; {@link
 *       Answers} says when its answer was written. While some of that is not sent, it is not idle.
 *   <li>HTTP/2: a connection without a stream has no request.
 *   <li>A WebSocket may be silent for as long as it likes.
 * </ul>
 */
final class ClientConnection extends ChannelInboundHandlerAdapter {

  private static final AttributeKey<ClientConnection> KEY =
      AttributeKey.valueOf("once.client.connection");

  /** How many within the shorter limit. */
  private static final int LOOKS = 4;

  private final long headNanos;
  private final long idleNanos;
  private final Channel channel;

  /**
   * Since when there is no request; like {@link #underWay} and {@link #asked} also looked at by
   * others, without a lock: an old value makes another connection give way, no more.
   */
  private long idleSince = System.nanoTime();

  /** When the first byte of an unfinished head came; only if {@link #inHead}. */
  private long headSince;

  private boolean inHead;

  /** Requests of HTTP/1 whose answers are not written; open streams of HTTP/2. */
  private int underWay;

  /** Asked to give way, and has not done so yet. */
  private boolean asked;

  /** Null before the connection belongs to an event loop. */
  private @Nullable ChannelHandlerContext context;

  /** For {@link UploadSlots}: how many bodies stream on it. */
  int uploads;

  /** Whether the body of the last one is still to come. */
  private boolean inBody;

  private boolean tunnel;
  private boolean closing;

  private @Nullable Future<?> nextLook;

  /** What was to be sent at the last look, and when it was less for the last time. */
  private long unsent;

  private long unsentProgress;
  private long takenAt = idleSince;

  ClientConnection(Channel channel, ClientLimits limits) {
    this.channel = channel;
    this.headNanos = limits.headTimeout().toNanos();
    this.idleNanos = limits.idleTimeout().toNanos();
    channel.attr(KEY).set(this);
  }

  /** The one that a request came on; null if none watches it. */
  static @Nullable ClientConnection of(HttpServerRequest request) {
    return request.connection() instanceof ConnectionBase connection
        ? of(connection.channel())
        : null;
  }

  /** The one that watches a channel; null if none does. */
  static @Nullable ClientConnection of(Channel channel) {
    return channel.attr(KEY).get();
  }

  // What happens in HTTP/1.

  /** Bytes came that are of no body. */
  void headBytes() {
    if (!inHead && !inBody && underWay == 0) {
      inHead = true;
      headSince = System.nanoTime();
    }
  }

  /** It is HTTP/2, whose heads are not seen here. */
  void headEnded() {
    inHead = false;
  }

  /** It is HTTP/2, with so many streams. */
  void becameHttp2(int streams) {
    inHead = false;
    inBody = false;
    underWay = streams;
  }

  void streamBegan() {
    underWay++;
  }

  void began() {
    inHead = false;
    inBody = true;
    underWay++;
  }

  void bodyEnded() {
    inBody = false;
  }

  void answered() {
    underWay--;
    idleSince = System.nanoTime();
  }

  /** It is a WebSocket from now on. */
  void becameTunnel() {
    tunnel = true;
  }

  /** Streams of HTTP/2 that are open. */
  int streams() {
    return underWay;
  }

  // When all places are taken.

  /** Whether nothing runs on it, and it was not asked before. */
  boolean mayGiveWay() {
    return underWay <= 0 && !tunnel && !asked && context != null;
  }

  long idleSince() {
    return idleSince;
  }

  /** Closes it, unless a request came meanwhile; says in the end whether it did. */
  void giveWay(Consumer<Boolean> told) {
    asked = true;
    channel
        .eventLoop()
        .execute(
            () -> {
              asked = false;
              boolean gives = mayGiveWay() && toBeSent() == 0 && channel.isOpen();
              if (gives && context != null) {
                context.close();
              }
              told.accept(gives);
            });
  }

  // Looking.

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
    lookLater(added);
  }

  /** Or a connection that is gone would stay in memory until the next look. */
  @Override
  public void handlerRemoved(ChannelHandlerContext removed) {
    if (nextLook != null) {
      nextLook.cancel(false);
    }
  }

  private void lookLater(ChannelHandlerContext here) {
    long pause = Math.min(headNanos, idleNanos) / LOOKS;
    nextLook = here.executor().schedule(() -> look(here), pause, TimeUnit.NANOSECONDS);
  }

  private void look(ChannelHandlerContext here) {
    if (!channel.isOpen()) {
      return;
    }
    long now = System.nanoTime();
    boolean stuck = (inHead && now - headSince >= headNanos) || takesNothing(now);
    if (stuck || closing) {
      here.close();
    } else {
      if (isIdle(now)) {
        closing = true; // through all handlers, so that HTTP/2 can say goodbye
        channel.close();
      }
      lookLater(here);
    }
  }

  private boolean isIdle(long now) {
    if (tunnel || underWay > 0 || toBeSent() > 0) {
      idleSince = now;
    }
    return now - idleSince >= idleNanos;
  }

  /** Whether something is to be sent, and the client has taken none of it for too long. */
  private boolean takesNothing(long now) {
    ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
    long pending = toBeSent();
    long progress = out == null ? 0 : out.currentProgress();
    if (pending == 0 || tunnel || pending != unsent || progress != unsentProgress) {
      takenAt = now;
    }
    unsent = pending;
    unsentProgress = progress;
    return now - takenAt >= idleNanos;
  }

  private long toBeSent() {
    ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
    return out == null ? 0 : out.totalPendingWriteBytes();
  }
}
