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
 *       AnswerWriteObserver} says when its answer was written. While some of that is not sent, it
 *       is not idle.
 *   <li>HTTP/2: a connection without a stream has no request.
 *   <li>A WebSocket may be silent for as long as it likes.
 * </ul>
 */
final class ClientConnection extends ChannelInboundHandlerAdapter {

  private static final AttributeKey<ClientConnection> KEY =
      AttributeKey.valueOf("once.client.connection");

  /** How many within the shorter limit. */
  private static final int CHECKS_PER_LIMIT = 4;

  private final long headNanos;
  private final long idleNanos;
  private final Channel channel;

  /**
   * Since when there is no request; like {@link #inFlight} and {@link #evicting} also looked at by
   * others, without a lock: an old value makes another connection give way, no more.
   */
  private long idleSince = System.nanoTime();

  /** When the first byte of an unfinished head came; only if {@link #inHead}. */
  private long headSince;

  private boolean inHead;

  /** Requests of HTTP/1 whose answers are not written; open streams of HTTP/2. */
  private int inFlight;

  /** Asked to give way, and has not done so yet. */
  private boolean evicting;

  /** Null before the connection belongs to an event loop. */
  private @Nullable ChannelHandlerContext context;

  /** For {@link UploadSlots}: how many bodies stream on it. */
  int uploads;

  /** Whether the body of the last one is still to come. */
  private boolean inBody;

  private boolean webSocket;
  private boolean closing;

  private @Nullable Future<?> nextCheck;

  /** What was to be sent at the last look, and when it was less for the last time. */
  private long unsent;

  private long unsentProgress;
  private long writeProgressAt = idleSince;

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
  void headBytesReceived() {
    if (!inHead && !inBody && inFlight == 0) {
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
    inFlight = streams;
  }

  void streamBegan() {
    inFlight++;
  }

  void requestBegan() {
    inHead = false;
    inBody = true;
    inFlight++;
  }

  void bodyEnded() {
    inBody = false;
  }

  void answerWritten() {
    inFlight--;
    idleSince = System.nanoTime();
  }

  /** It is a WebSocket from now on. */
  void becameWebSocket() {
    webSocket = true;
  }

  /** Streams of HTTP/2 that are open. */
  int streams() {
    return inFlight;
  }

  // When all places are taken.

  /** Whether nothing runs on it, and it was not asked before. */
  boolean isEvictable() {
    return inFlight <= 0 && !webSocket && !evicting && context != null;
  }

  long idleSince() {
    return idleSince;
  }

  /** Closes it, unless a request came meanwhile; says in the end whether it did. */
  void evict(Consumer<Boolean> onDone) {
    evicting = true;
    channel
        .eventLoop()
        .execute(
            () -> {
              evicting = false;
              boolean gives = isEvictable() && pendingBytes() == 0 && channel.isOpen();
              if (gives && context != null) {
                context.close();
              }
              onDone.accept(gives);
            });
  }

  // Looking.

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
    scheduleCheck(added);
  }

  /** Or a connection that is gone would stay in memory until the next look. */
  @Override
  public void handlerRemoved(ChannelHandlerContext removed) {
    if (nextCheck != null) {
      nextCheck.cancel(false);
    }
  }

  private void scheduleCheck(ChannelHandlerContext here) {
    long pause = Math.min(headNanos, idleNanos) / CHECKS_PER_LIMIT;
    nextCheck = here.executor().schedule(() -> check(here), pause, TimeUnit.NANOSECONDS);
  }

  private void check(ChannelHandlerContext here) {
    if (!channel.isOpen()) {
      return;
    }
    long now = System.nanoTime();
    boolean stuck = (inHead && now - headSince >= headNanos) || isWriteStalled(now);
    if (stuck || closing) {
      here.close();
    } else {
      if (isIdle(now)) {
        closing = true; // through all handlers, so that HTTP/2 can say goodbye
        channel.close();
      }
      scheduleCheck(here);
    }
  }

  private boolean isIdle(long now) {
    if (webSocket || inFlight > 0 || pendingBytes() > 0) {
      idleSince = now;
    }
    return now - idleSince >= idleNanos;
  }

  /** Whether something is to be sent, and the client has taken none of it for too long. */
  private boolean isWriteStalled(long now) {
    ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
    long pending = pendingBytes();
    long progress = out == null ? 0 : out.currentProgress();
    if (pending == 0 || webSocket || pending != unsent || progress != unsentProgress) {
      writeProgressAt = now;
    }
    unsent = pending;
    unsentProgress = progress;
    return now - writeProgressAt >= idleNanos;
  }

  private long pendingBytes() {
    ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
    return out == null ? 0 : out.totalPendingWriteBytes();
  }
}
