package dev.once.stores.redis;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.time.Duration;

/**
 * What is added to Lettuce's channels: commands that are written at the same time go out in one
 * system call, and a connection that has gone silent is given up.
 */
final class Channels implements NettyCustomizer {

  /** Few, so that the server works on the first of them while the next are being written. */
  private static final int COMMANDS_PER_FLUSH = 8;

  private final NettyCustomizer users;
  private final Duration silence;
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

  /**
   * @param users what else is to be done to a channel
   */
  Channels(NettyCustomizer users, Duration silence) {
    this.users = users;
    this.silence = silence;
  }

  @Override
  public void afterBootstrapInitialized(Bootstrap bootstrap) {
    // What is closed with something under way is given up: what the system has not sent yet of it
    // must not arrive later, when somebody may already have asked again.
    bootstrap.option(ChannelOption.SO_LINGER, 0);
    users.afterBootstrapInitialized(bootstrap);
  }

  @Override
  public void afterChannelInitialized(Channel channel) {
    ChannelPipeline pipeline = channel.pipeline();
    add(pipeline, new FlushConsolidationHandler(COMMANDS_PER_FLUSH, true));
    add(pipeline, new ReplyTimeoutHandler(silence));
    add(pipeline, new LostReplies());
    pipeline.addLast(new ChannelNotes());
    open.add(channel);
    users.afterChannelInitialized(channel);
  }

  /** Next to the network, but above encryption, which then encrypts many commands at once. */
  private static void add(ChannelPipeline pipeline, ChannelHandler handler) {
    if (pipeline.get(SslHandler.class) == null) {
      pipeline.addFirst(handler);
    } else {
      pipeline.addAfter(pipeline.context(SslHandler.class).name(), null, handler);
    }
  }

  /** Gives all connections up; the client makes new ones. */
  void reconnect() {
    open.close();
  }
}
