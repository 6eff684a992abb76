package dev.once.stores.redis;

import dev.once.core.store.NotTakenException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.protocol.AsyncCommand;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends calls of scripts.
 *
 * <ol>
 *   <li>By the script's name. A server that does not know it (new, flushed, failed over) says so
 *       and has done nothing; then the whole script is sent.
 *   <li>A call that could not be sent because the connection is just being made anew waits a moment
 *       and tries again. If that lasts, calls fail at once: nothing is queued for a lost server.
 *   <li>A call that was sent is never sent again from here. If its reply is lost the outcome is
 *       unknown, and the engine asks again: token and fence make that safe.
 * </ol>
 */
final class Steps {

  /** How long a lost connection may take to come back before steps are refused at once. */
  private static final Duration PATIENCE = Duration.ofMillis(250);

  private static final Duration PAUSE = Duration.ofMillis(10);
  private static final long CONNECTED = 0;

  private final Link link;
  private final EventExecutorGroup timer;
  private final Replication replication;
  private volatile long disconnectedSince = CONNECTED;
  private volatile boolean closed;

  Steps(Link link, EventExecutorGroup timer, Replication replication) {
    this.link = link;
    this.timer = timer;
    this.replication = replication;
  }

  void close() {
    closed = true;
  }

  <T> CompletableFuture<T> run(Call<T> call) {
    CompletableFuture<T> result = new CompletableFuture<>();
    send(call, result, false, 0);
    return result;
  }

  /** Fails like a step does if the store is closed; else null. */
  @Nullable NotTakenException refusal() {
    return closed ? new NotTakenException("redis store: closed (expected: open)") : null;
  }

  private <T> void send(Call<T> call, CompletableFuture<T> result, boolean whole, long since) {
    NotTakenException refusal = refusal();
    if (refusal != null) {
      result.completeExceptionally(refusal);
      return;
    }
    try {
      CompletionStage<? extends StatefulConnection<byte[], byte[]>> ready =
          link.connection(call.key());
      ready.whenComplete(
          (connection, failure) -> {
            if (failure != null) {
              failed(call, result, whole, since, Failures.cause(failure));
            } else {
              send(call, result, whole, since, connection);
            }
          });
    } catch (RuntimeException e) {
      failed(call, result, whole, since, e);
    }
  }

  private <T> void send(
      Call<T> call,
      CompletableFuture<T> result,
      boolean whole,
      long since,
      StatefulConnection<byte[], byte[]> connection) {
    AsyncCommand<byte[], byte[], Reply> command = call.command(whole);
    command.whenComplete(
        (reply, failure) -> {
          if (failure != null) {
            failed(call, result, whole, since, Failures.cause(failure));
          } else {
            replied(call, result, reply, connection);
          }
        });
    try {
      connection.dispatch(command);
    } catch (RuntimeException e) {
      command.completeExceptionally(e);
    }
  }

  private <T> void replied(
      Call<T> call,
      CompletableFuture<T> result,
      Reply reply,
      StatefulConnection<byte[], byte[]> connection) {
    if (disconnectedSince != CONNECTED) {
      disconnectedSince = CONNECTED;
    }
    T value;
    try {
      value = call.read(reply);
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
      return;
    }
    if (!replication.isOn() || !call.wrote(reply)) {
      result.complete(value);
      return;
    }
    replication
        .confirm(connection)
        .whenComplete(
            (any, failure) -> {
              if (failure == null) {
                result.complete(value);
              } else {
                result.completeExceptionally(Failures.explain(failure));
              }
            });
  }

  private <T> void failed(
      Call<T> call, CompletableFuture<T> result, boolean whole, long since, Throwable failure) {
    if (Failures.isNoScript(failure) && !whole) {
      send(call, result, true, since);
    } else if (Failures.isDisconnected(failure) && maySoonBeBack(since)) {
      long asked = since == 0 ? System.nanoTime() | 1 : since;
      timer.schedule(
          () -> send(call, result, whole, asked), PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    } else {
      if (Failures.isReadOnly(failure) || Failures.isMoved(failure)) {
        link.reconnect();
      }
      result.completeExceptionally(Failures.explain(failure));
    }
  }

  /**
   * @param since when this step was first found unsendable; 0 if it just was
   */
  private boolean maySoonBeBack(long since) {
    long now = System.nanoTime();
    if (disconnectedSince == CONNECTED) {
      disconnectedSince = now | 1;
    }
    long patience = PATIENCE.toNanos();
    return now - disconnectedSince < patience && (since == 0 || now - since < patience);
  }
}
