package dev.once.http.gateway;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Makes a connection read little at a time. Vert.x stops a connection that is paused only after its
 * turn to read, and by default that turn is up to 1 MB: many paused connections would take all
 * memory outside of the heap.
 */
final class ReadLimit {

  private static final int MAX = 16 * 1024;
  private static final OutOfMemoryWatch WATCH = new OutOfMemoryWatch();

  private ReadLimit() {}

  /** For a connection that has read nothing yet. */
  static void applyTo(Channel channel) {
    channel
        .config()
        .setRecvByteBufAllocator(
            new AdaptiveRecvByteBufAllocator(64, 2048, MAX).maxMessagesPerRead(1));
    channel.pipeline().addFirst(WATCH);
  }

  /** If there is no memory to read into, this is the first to know. */
  @Sharable
  private static final class OutOfMemoryWatch extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      OutOfMemory.exitIfCausedBy(cause);
      context.fireExceptionCaught(cause);
    }
  }
}
