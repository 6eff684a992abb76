package dev.once.stores.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.protocol.CommandHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.List;

/**
 * Fails what was under way when the connection is lost. Lettuce 6 would keep it and send it again,
 * maybe to another server; what has failed it leaves out. Lettuce 7 fails it by itself.
 */
final class LostReplies extends ChannelInboundHandlerAdapter {

  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    CommandHandler commands = ctx.pipeline().get(CommandHandler.class);
    if (commands != null) {
      List.copyOf(commands.getStack())
          .forEach(
              command ->
                  command.completeExceptionally(new RedisException("Connection disconnected")));
    }
    super.channelInactive(ctx);
  }
}
