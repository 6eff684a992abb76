package dev.once.stores.redis;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the commands that go out to the network, by reading what is sent. */
final class SentCommands extends ChannelOutboundHandlerAdapter {

  private final AtomicLong count;

  SentCommands(AtomicLong count) {
    this.count = count;
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
      throws Exception {
    ByteBuf bytes = ((ByteBuf) message).duplicate();
    while (bytes.isReadable()) {
      for (int words = number(bytes, '*'); words > 0; words--) {
        bytes.skipBytes(number(bytes, '$') + 2);
      }
      count.incrementAndGet();
    }
    super.write(context, message, promise);
  }

  private static int number(ByteBuf bytes, char sign) {
    if (bytes.readByte() != sign) {
      throw new IllegalStateException("not a command");
    }
    int number = 0;
    for (byte next = bytes.readByte(); next != '\r'; next = bytes.readByte()) {
      number = 10 * number + next - '0';
    }
    bytes.skipBytes(1);
    return number;
  }
}
