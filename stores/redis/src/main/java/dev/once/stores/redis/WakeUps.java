package dev.once.stores.redis;

import dev.once.core.OperationId;
import dev.once.core.store.Store.Watch;
import dev.once.core.store.spi.Watchers;
import io.netty.util.concurrent.EventExecutorGroup;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Who waits for which operation. Its channel has the name of its record; the script that ends it
 * says so there. What is said while nobody listens is lost, and is only a hint.
 *
 * <p>Each time that a subscription has begun, who waits is woken: the operation may have ended
 * before. If nobody waits, it is ended again: Lettuce subscribes after a reconnect to all that it
 * was subscribed to, also to what could not be left in between.
 */
final class WakeUps {

  /** How many wait for one operation. */
  private record Waiting(OperationId id, int count) {}

  private static final int TRIES = 20;
  private static final long PAUSE_MILLIS = 50;

  private final Link link;
  private final EventExecutorGroup timer;
  private final Watchers watchers = new Watchers();
  private final ConcurrentHashMap<String, Waiting> channels = new ConcurrentHashMap<>();

  WakeUps(Link link, EventExecutorGroup timer) {
    this.link = link;
    this.timer = timer;
    link.listen(this::heard, this::subscribed);
  }

  Watch add(OperationId id, byte[] channel, Runnable wake) {
    Watch watch = watchers.add(id, wake);
    channels.compute(
        name(channel),
        (name, waiting) -> {
          if (waiting == null) {
            subscribe(channel, TRIES);
          }
          return new Waiting(id, waiting == null ? 1 : waiting.count + 1);
        });
    AtomicBoolean open = new AtomicBoolean(true);
    return () -> {
      if (open.getAndSet(false)) {
        watch.close();
        leave(channel);
      }
    };
  }

  /** A connection may just be being made; then a moment later. */
  private void subscribe(byte[] channel, int tries) {
    link.subscribe(channel)
        .whenComplete(
            (any, failure) -> {
              if (failure != null && tries > 1 && channels.containsKey(name(channel))) {
                timer.schedule(
                    () -> subscribe(channel, tries - 1), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
              }
            });
  }

  private void subscribed(byte[] channel) {
    channels.computeIfAbsent(
        name(channel),
        name -> {
          link.unsubscribe(channel);
          return null;
        });
    heard(channel);
  }

  private void leave(byte[] channel) {
    channels.computeIfPresent(
        name(channel),
        (name, waiting) -> {
          if (waiting.count > 1) {
            return new Waiting(waiting.id, waiting.count - 1);
          }
          link.unsubscribe(channel);
          return null;
        });
  }

  private void heard(byte[] channel) {
    Waiting waiting = channels.get(name(channel));
    if (waiting != null) {
      watchers.wake(waiting.id);
    }
  }

  private static String name(byte[] channel) {
    return new String(channel, StandardCharsets.ISO_8859_1);
  }
}
