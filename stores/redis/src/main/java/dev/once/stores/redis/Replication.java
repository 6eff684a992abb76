package dev.once.stores.redis;

import dev.once.core.store.StoreException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Waits until replicas have what was written.
 *
 * <p>{@code WAIT} is about all earlier writes of its connection, and blocks the connection. So
 * there is one at a time: steps that were written while it was under way share the next one.
 */
final class Replication {

  /** Who waits on a connection: for the WAIT that is under way, and for the next one. */
  private static final class Waits {
    private List<CompletableFuture<Void>> next = new ArrayList<>();
    private boolean underWay;
  }

  private final int replicas;
  private final Duration timeout;
  private final Map<StatefulConnection<byte[], byte[]>, Waits> waits = new HashMap<>();

  Replication(int replicas, Duration timeout) {
    this.replicas = replicas;
    this.timeout = timeout;
  }

  boolean isOn() {
    return replicas > 0;
  }

  /** Ends when enough replicas have all that this connection has written by now; or fails. */
  CompletableFuture<Void> confirm(StatefulConnection<byte[], byte[]> connection) {
    CompletableFuture<Void> confirmed = new CompletableFuture<>();
    boolean first;
    synchronized (waits) {
      Waits here = waits.computeIfAbsent(connection, any -> new Waits());
      here.next.add(confirmed);
      first = !here.underWay;
      here.underWay = true;
    }
    if (first) {
      ask(connection);
    }
    return confirmed;
  }

  private void ask(StatefulConnection<byte[], byte[]> connection) {
    List<CompletableFuture<Void>> asking;
    synchronized (waits) {
      Waits here = waits.computeIfAbsent(connection, any -> new Waits());
      asking = here.next;
      here.next = new ArrayList<>();
      here.underWay = !asking.isEmpty();
      if (asking.isEmpty()) {
        waits.remove(connection);
        return;
      }
    }
    CommandArgs<byte[], byte[]> args =
        new CommandArgs<>(ByteArrayCodec.INSTANCE).add(replicas).add(timeout.toMillis());
    AsyncCommand<byte[], byte[], Long> wait =
        new AsyncCommand<>(
            new Command<>(CommandType.WAIT, new IntegerOutput<>(ByteArrayCodec.INSTANCE), args));
    wait.whenComplete(
        (count, failure) -> {
          ask(connection);
          StoreException shortage = shortage(count, failure);
          asking.forEach(
              step -> {
                if (shortage == null) {
                  step.complete(null);
                } else {
                  step.completeExceptionally(shortage);
                }
              });
        });
    connection.dispatch(wait);
  }

  private @Nullable StoreException shortage(@Nullable Long count, @Nullable Throwable failure) {
    if (failure == null && count != null && count >= replicas) {
      return null;
    }
    return new StoreException(
        "redis: written, but %s of %d replicas have said so within %s; whether it outlives the"
                .formatted(count == null ? "none" : count, replicas, timeout)
            + " master is unknown",
        failure);
  }
}
