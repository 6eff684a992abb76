package dev.once.stores.redis;

import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.StoreClosedException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.protocol.AsyncCommand;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
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
 *   <li>A node of a cluster that does not have the key names the one that has, and has done
 *       nothing.
 *   <li>A call that was sent is never sent again from here. If its reply is lost the outcome is
 *       unknown, and the engine asks again: token and fence make that safe.
 * </ol>
 */
final class StepSender {

  /** How long a lost connection may take to come back before steps are refused at once. */
  private static final Duration RECONNECT_TIMEOUT = Duration.ofMillis(250);

  private static final Duration PAUSE = Duration.ofMillis(10);
  private static final long CONNECTED = 0;
  private static final int REDIRECTIONS = 5;

  private final Link link;
  private final EventExecutorGroup timer;
  private final Replication replication;

  /** Those that wait for a connection. */
  private final Set<Step<?>> waiting = ConcurrentHashMap.newKeySet();

  private volatile long disconnectedSince = CONNECTED;
  private volatile boolean closed;

  StepSender(Link link, EventExecutorGroup timer, Replication replication) {
    this.link = link;
    this.timer = timer;
    this.replication = replication;
  }

  /** The threads may end before those that wait are sent. */
  void close() {
    closed = true;
    waiting.forEach(Step::end);
  }

  <T> CompletableFuture<T> run(ScriptCall<T> call) {
    Step<T> step = new Step<>(call);
    step.send();
    return step.result;
  }

  /** Fails like a step does if the store is closed; else null. */
  @Nullable StepNotTakenException refusal() {
    return closed ? new StoreClosedException("redis store") : null;
  }

  /**
   * A call on its way. It is sent again only after the last try has ended, so nothing is guarded.
   */
  private final class Step<T> {

    private final ScriptCall<T> call;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    /** Whether the server is sent the script's text. */
    private boolean whole;

    /** When this step was first found unsendable; 0 if it never was. */
    private long unsendableSince;

    /** Where to, if not to the node that should have the key. */
    private @Nullable Redirection redirection;

    private int redirections;

    Step(ScriptCall<T> call) {
      this.call = call;
    }

    void send() {
      StepNotTakenException refusal = refusal();
      if (refusal != null) {
        result.completeExceptionally(refusal);
        return;
      }
      try {
        ready()
            .whenComplete(
                (connection, failure) -> {
                  if (failure != null) {
                    failed(Failures.cause(failure));
                  } else {
                    send(connection);
                  }
                });
      } catch (RuntimeException e) {
        failed(e);
      }
    }

    private CompletionStage<? extends StatefulConnection<byte[], byte[]>> ready() {
      CompletionStage<? extends StatefulConnection<byte[], byte[]>> redirected =
          redirection == null ? null : link.connection(redirection);
      return redirected == null ? link.connection(call.key()) : redirected;
    }

    private void send(StatefulConnection<byte[], byte[]> connection) {
      AsyncCommand<byte[], byte[], Reply> command = call.command(whole);
      command.whenComplete(
          (reply, failure) -> {
            if (failure != null) {
              failed(Failures.cause(failure));
            } else {
              replied(reply, connection);
            }
          });
      try {
        if (redirection != null && redirection.asking()) {
          connection.dispatch(List.of(ScriptCall.asking(), command));
        } else {
          connection.dispatch(command);
        }
      } catch (RuntimeException e) {
        command.completeExceptionally(e);
      }
    }

    private void replied(Reply reply, StatefulConnection<byte[], byte[]> connection) {
      if (disconnectedSince != CONNECTED) {
        disconnectedSince = CONNECTED;
      }
      T value;
      boolean counts;
      try {
        value = call.read(reply);
        counts = !replication.isOn() || !call.wantsReplicas(reply);
      } catch (RuntimeException e) {
        result.completeExceptionally(e);
        return;
      }
      if (counts) {
        result.complete(value);
        return;
      }
      replication
          .confirm(connection, reply.channel())
          .whenComplete(
              (any, failure) -> {
                if (failure == null) {
                  result.complete(value);
                } else {
                  result.completeExceptionally(Failures.explain(failure));
                }
              });
    }

    private void failed(Throwable failure) {
      if (Failures.isNoScript(failure) && !whole) {
        whole = true;
        send();
      } else if (Failures.isDisconnected(failure) && maySoonBeBack(unsendableSince)) {
        unsendableSince = unsendableSince == 0 ? System.nanoTime() | 1 : unsendableSince;
        redirection = null;
        sendSoon();
      } else {
        refused(failure);
      }
    }

    private void sendSoon() {
      waiting.add(this);
      if (closed) {
        end();
      } else {
        timer.schedule(this::waited, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
      }
    }

    private void waited() {
      waiting.remove(this);
      send();
    }

    private void end() {
      result.completeExceptionally(new StoreClosedException("redis store"));
    }

    private void refused(Throwable failure) {
      if (Failures.isReadOnly(failure) || Failures.isMoved(failure)) {
        link.reconnect();
      }
      redirection = Redirection.of(failure);
      if (redirection != null
          && link.connection(redirection) != null
          && redirections++ < REDIRECTIONS) {
        send();
      } else {
        result.completeExceptionally(Failures.explain(failure));
      }
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
    long timeoutNanos = RECONNECT_TIMEOUT.toNanos();
    return now - disconnectedSince < timeoutNanos && (since == 0 || now - since < timeoutNanos);
  }
}
