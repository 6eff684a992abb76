package dev.once.http.gateway;

import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * The connections of clients on one port. If there are as many as may be, those that have been
 * without a request for longest give way to new ones: whoever only connects shuts nobody out. If a
 * request runs on every one of them, the new one is refused.
 *
 * <p>They give way by the dozen, so that not every new connection looks at all others.
 */
final class ClientConnections {

  /** This part of them gives way at once. */
  private static final int EVICTED_PART = 16;

  private final int limit;
  private final Set<ClientConnection> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger count = new AtomicInteger();

  /** Of those that are open: how many were told to give way. */
  private final AtomicInteger evicting = new AtomicInteger();

  private final LongAdder evicted = new LongAdder();
  private final LongAdder refused = new LongAdder();

  ClientConnections(int limit) {
    this.limit = limit;
  }

  /** One more; false if there is no place for it. Asked by one thread, which accepts them. */
  boolean tryAdd(Channel channel, ClientConnection connection) {
    if (count.get() - evicting.get() >= limit && !evictIdle()) {
      refused.increment();
      return false;
    }
    count.incrementAndGet();
    open.add(connection);
    channel
        .closeFuture()
        .addListener(
            closed -> {
              open.remove(connection);
              count.decrementAndGet();
            });
    return true;
  }

  private boolean evictIdle() {
    record Waiting(ClientConnection connection, long since) {}
    long now = System.nanoTime();
    List<Waiting> waiting = new ArrayList<>();
    for (ClientConnection connection : open) {
      if (connection.isEvictable()) {
        waiting.add(new Waiting(connection, now - connection.idleSince()));
      }
    }
    waiting.sort(Comparator.comparingLong(Waiting::since).reversed());
    List<Waiting> longest = waiting.subList(0, Math.min(waiting.size(), 1 + limit / EVICTED_PART));
    evicting.addAndGet(longest.size());
    for (Waiting one : longest) {
      one.connection.evict(
          gone -> {
            evicting.decrementAndGet();
            if (gone) {
              evicted.increment();
            }
          });
    }
    return !longest.isEmpty();
  }

  int open() {
    return count.get();
  }

  long refused() {
    return refused.sum();
  }

  long evicted() {
    return evicted.sum();
  }
}
