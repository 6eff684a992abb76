package dev.once.stores.redis;

import io.lettuce.core.protocol.RedisCommand;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

/**
 * Notes with each step on which channel it is written. A connection of Lettuce goes from channel to
 * channel, and maybe from server to server; what replicas confirm is about one.
 */
final class ChannelNotes extends ChannelOutboundHandlerAdapter {

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise)
      throws Exception {
    if (message instanceof RedisCommand<?, ?, ?> command
        && command.getOutput() instanceof ReplyOutput output) {
      output.writtenOn(ctx.channel());
    }
    super.write(ctx, message, promise);
  }
}
