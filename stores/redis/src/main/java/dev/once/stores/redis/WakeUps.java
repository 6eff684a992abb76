package dev.once.stores.redis;

import dev.once.core.OperationId;
import dev.once.core.store.Store.Watch;
import dev.once.core.store.Watchers;
import io.netty.util.concurrent.EventExecutorGroup;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Who waits for which operation. Its channel has the name of its record; the script that ends it
 * says so there. Whoever waits is also woken when the subscription has begun: the operation may
 * have ended before. Lettuce subscribes again after a reconnect; what is said in between is lost,
 * and is only a hint.
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
    link.listen(this::heard);
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
              if (failure == null) {
                heard(channel);
              } else if (tries > 1 && channels.containsKey(name(channel))) {
                timer.schedule(
                    () -> subscribe(channel, tries - 1), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
              }
            });
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
