package dev.once.stores.redis;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection if a request gets no reply for too long: the server hangs, or the connection
 * was lost without notice. The client then connects again, and with sentinels it finds the new
 * master. Otherwise TCP would need a quarter of an hour to notice.
 */
final class ReplyTimeoutHandler extends ChannelDuplexHandler {

  private static final long NOT_WAITING = 0;

  private final long limitNanos;
  private long waitingSince = NOT_WAITING;
  private @Nullable Future<?> checks;

  ReplyTimeoutHandler(Duration limit) {
    limitNanos = limit.toNanos();
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) throws Exception {
    checks =
        ctx.executor()
            .scheduleWithFixedDelay(
                () -> check(ctx), limitNanos / 2, limitNanos / 2, TimeUnit.NANOSECONDS);
    super.channelActive(ctx);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    if (checks != null) {
      checks.cancel(false);
    }
    super.channelInactive(ctx);
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise)
      throws Exception {
    if (waitingSince == NOT_WAITING) {
      waitingSince = System.nanoTime() | 1; // never NOT_WAITING
    }
    super.write(ctx, message, promise);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
    waitingSince = NOT_WAITING;
    super.channelRead(ctx, message);
  }

  private void check(ChannelHandlerContext ctx) {
    if (waitingSince != NOT_WAITING && System.nanoTime() - waitingSince > limitNanos) {
      ctx.close();
    }
  }
}
