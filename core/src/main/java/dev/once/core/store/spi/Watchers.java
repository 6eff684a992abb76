package dev.once.core.store.spi;

import dev.once.core.OperationId;
import dev.once.core.store.Store;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Who waits for which operation to end: what a store needs to implement {@link Store#watch}. */
public final class Watchers {

  /** One watch, by identity: the same {@code wake} may watch twice. */
  private static final class Watcher {
    private final Runnable wake;

    Watcher(Runnable wake) {
      this.wake = wake;
    }
  }

  private final ConcurrentHashMap<OperationId, List<Watcher>> watchers = new ConcurrentHashMap<>();

  /** Adds one who waits, until the watch is closed. */
  public Store.Watch add(OperationId id, Runnable wake) {
    Watcher watcher = new Watcher(wake);
    watchers.compute(
        id,
        (ignored, list) -> {
          List<Watcher> all = list == null ? new CopyOnWriteArrayList<>() : list;
          all.add(watcher);
          return all;
        });
    return () ->
        watchers.computeIfPresent(
            id,
            (ignored, list) -> {
              list.remove(watcher);
              return list.isEmpty() ? null : list;
            });
  }

  /** Calls everybody who waits for this operation. */
  public void wake(OperationId id) {
    if (!watchers.isEmpty()) {
      watchers.getOrDefault(id, List.of()).forEach(watcher -> watcher.wake.run());
    }
  }
}
