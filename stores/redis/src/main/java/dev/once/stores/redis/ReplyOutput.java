package dev.once.stores.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.netty.channel.Channel;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads a {@link Reply} off the wire, without lists or boxes between. */
final class ReplyOutput extends CommandOutput<byte[], byte[], Reply> {

  private final Reply reply;

  ReplyOutput() {
    this(new Reply());
  }

  private ReplyOutput(Reply reply) {
    super(ByteArrayCodec.INSTANCE, reply);
    this.reply = reply;
  }

  void writtenOn(Channel channel) {
    reply.writtenOn(channel);
  }

  @Override
  public void set(@Nullable ByteBuffer bytes) {
    if (bytes == null) {
      reply.add(null);
    } else {
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(copy);
      reply.add(copy);
    }
  }

  @Override
  public void set(long integer) {
    reply.add(integer);
  }
}
