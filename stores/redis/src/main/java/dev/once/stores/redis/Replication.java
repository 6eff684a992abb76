package dev.once.stores.redis;

import dev.once.core.store.StoreException;
import dev.once.core.store.UnconfirmedException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Waits until replicas have what was written, or read.
 *
 * <p>{@code WAIT} is about all that the server had written when it ran the channel's last command,
 * whoever wrote it; from Redis 7.2 on, when it ran the channel's last write (decision 0021). It
 * blocks the channel. So there is one at a time: steps that were replied to while it was under way
 * share the next one.
 *
 * <p>It says nothing on another channel: that may lead to another server, which knows nothing of
 * the step. So it counts only if it was written on the channel of its steps.
 */
final class Replication {

  /** Who waits on a channel: for the WAIT that is under way, and for the next one. */
  private static final class Waits {
    private List<CompletableFuture<Void>> next = new ArrayList<>();
    private boolean underWay;
  }

  private final int replicas;
  private final Duration timeout;
  private final Map<Channel, Waits> waits = new HashMap<>();

  Replication(int replicas, Duration timeout) {
    this.replicas = replicas;
    this.timeout = timeout;
  }

  boolean isOn() {
    return replicas > 0;
  }

  /**
   * Ends when enough replicas have all that was there when the last command on this channel ran; or
   * fails.
   *
   * @param connection that the channel was of; it may have another one by now
   * @param channel null if it is not known
   */
  CompletableFuture<Void> confirm(
      StatefulConnection<byte[], byte[]> connection, @Nullable Channel channel) {
    if (channel == null) {
      return CompletableFuture.failedFuture(new StoreException(shortage("none"), null));
    }
    CompletableFuture<Void> confirmed = new CompletableFuture<>();
    boolean first;
    synchronized (waits) {
      Waits here = waits.computeIfAbsent(channel, any -> new Waits());
      here.next.add(confirmed);
      first = !here.underWay;
      here.underWay = true;
    }
    if (first) {
      ask(connection, channel);
    }
    return confirmed;
  }

  private void ask(StatefulConnection<byte[], byte[]> connection, Channel channel) {
    List<CompletableFuture<Void>> asking;
    synchronized (waits) {
      Waits here = waits.computeIfAbsent(channel, any -> new Waits());
      asking = here.next;
      here.next = new ArrayList<>();
      here.underWay = !asking.isEmpty();
      if (asking.isEmpty()) {
        waits.remove(channel);
        return;
      }
    }
    CommandArgs<byte[], byte[]> args =
        new CommandArgs<>(ByteArrayCodec.INSTANCE).add(replicas).add(timeout.toMillis());
    AsyncCommand<byte[], byte[], Reply> wait =
        new AsyncCommand<>(new Command<>(CommandType.WAIT, new ReplyOutput(), args));
    wait.whenComplete(
        (reply, failure) -> {
          ask(connection, channel);
          StoreException shortage = shortage(channel, reply, failure);
          asking.forEach(
              step -> {
                if (shortage == null) {
                  step.complete(null);
                } else {
                  step.completeExceptionally(shortage);
                }
              });
        });
    try {
      connection.dispatch(wait);
    } catch (RuntimeException e) {
      wait.completeExceptionally(e);
    }
  }

  private @Nullable StoreException shortage(
      Channel channel, @Nullable Reply reply, @Nullable Throwable failure) {
    if (failure != null || reply == null || reply.channel() != channel) {
      return new StoreException(shortage("none"), failure);
    }
    return reply.first() >= replicas
        ? null
        : new UnconfirmedException(shortage(Long.toString(reply.first())), null);
  }

  private String shortage(String count) {
    return "redis: written, but %s of %d replicas have said so within %s; whether it outlives the"
            .formatted(count, replicas, timeout)
        + " master is unknown";
  }
}
