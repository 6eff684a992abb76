package dev.once.stores.redis;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The connections to one Redis: a server, whichever of several is the master, or a cluster. */
interface Link extends AutoCloseable {

  /** A connection that a command about this key can be sent on. */
  CompletionStage<? extends StatefulConnection<byte[], byte[]>> connection(byte[] key);

  /**
   * A connection to the node to which another one has sent us. Null if a command that was sent
   * there by {@link #connection} would have been redirected by itself.
   */
  default @Nullable CompletionStage<? extends StatefulConnection<byte[], byte[]>> connection(
      Redirection to) {
    return null;
  }

  /** Commands that find their node by themselves; a scan goes over all masters. */
  RedisClusterAsyncCommands<byte[], byte[]> commands();

  /** Each master alone, to ask how it is. */
  List<RedisAsyncCommands<byte[], byte[]>> masters();

  /** A key for each master, made of this text and more, that it has. */
  List<byte[]> keyOnEachMaster(String prefix);

  /**
   * Begins to call these with the name of a channel.
   *
   * @param heard something was said there
   * @param subscribed what is said there from now on will be heard: after {@link #subscribe}, and
   *     after each reconnect
   */
  void listen(Consumer<byte[]> heard, Consumer<byte[]> subscribed);

  /** Fails if that cannot be asked for now. */
  CompletionStage<Void> subscribe(byte[] channel);

  void unsubscribe(byte[] channel);

  /** Gives the connections up, and connects anew. */
  void reconnect();

  @Override
  void close();
}
