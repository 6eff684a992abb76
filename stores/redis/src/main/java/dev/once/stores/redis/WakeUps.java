package dev.once.stores.redis;

import dev.once.core.OperationId;
import dev.once.core.store.Store.Watch;
import dev.once.core.store.Watchers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Who waits for which operation. Its channel has the name of its record; the script that ends it
 * says so there. Lettuce subscribes again after a reconnect; what gets lost between is only a hint.
 */
final class WakeUps {

  /** How many wait for one operation. */
  private record Waiting(OperationId id, int count) {}

  private final Link link;
  private final Watchers watchers = new Watchers();
  private final ConcurrentHashMap<String, Waiting> channels = new ConcurrentHashMap<>();

  WakeUps(Link link) {
    this.link = link;
    link.listen(this::heard);
  }

  Watch add(OperationId id, byte[] channel, Runnable wake) {
    Watch watch = watchers.add(id, wake);
    channels.compute(
        name(channel),
        (name, waiting) -> {
          if (waiting == null) {
            link.subscribe(channel);
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
