package dev.once.stores.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A call of a script, or a plain read, which can be sent more than once. */
final class ScriptCall<T> {

  private final @Nullable Script script;
  private final byte[] key;
  private final byte[][] arguments;
  private final Function<Reply, T> read;
  private final Predicate<Reply> wantsReplicas;

  /**
   * @param script null to read the fields that the arguments name
   * @param wantsReplicas whether what this reply tells counts only once replicas have it
   */
  ScriptCall(
      @Nullable Script script,
      byte[] key,
      Function<Reply, T> read,
      Predicate<Reply> wantsReplicas,
      byte[]... arguments) {
    this.script = script;
    this.key = key;
    this.arguments = arguments;
    this.read = read;
    this.wantsReplicas = wantsReplicas;
  }

  byte[] key() {
    return key;
  }

  T read(Reply reply) {
    return read.apply(reply);
  }

  boolean wantsReplicas(Reply reply) {
    return wantsReplicas.test(reply);
  }

  /** Goes before a command about a key whose slot is being moved to the node that gets it. */
  static AsyncCommand<byte[], byte[], String> asking() {
    return new AsyncCommand<>(
        new Command<>(CommandType.ASKING, new StatusOutput<>(ByteArrayCodec.INSTANCE)));
  }

  /** By name, or with the script's whole text, which makes the server remember it. */
  AsyncCommand<byte[], byte[], Reply> command(boolean whole) {
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    CommandType type = CommandType.HMGET;
    if (script != null) {
      type = whole ? CommandType.EVAL : CommandType.EVALSHA;
      args.add(whole ? script.text() : script.sha()).add(1);
    }
    args.addKey(key);
    for (byte[] argument : arguments) {
      args.add(argument);
    }
    return new AsyncCommand<>(new Command<>(type, new ReplyOutput(), args));
  }
}
