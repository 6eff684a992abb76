package dev.once.stores.redis;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the commands that are written to a channel, whoever sends them. */
final class SentCommands extends ChannelOutboundHandlerAdapter {

  private final AtomicLong count;

  SentCommands(AtomicLong count) {
    this.count = count;
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
      throws Exception {
    count.addAndGet(message instanceof Collection<?> commands ? commands.size() : 1);
    super.write(context, message, promise);
  }
}
