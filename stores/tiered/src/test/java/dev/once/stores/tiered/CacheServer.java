package dev.once.stores.tiered;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import dev.once.core.Bytes;
import dev.once.core.OperationId;
import dev.once.core.store.Cache;
import dev.once.core.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** What Redis is to a cache, in this process: it can be emptied, and put back to an old state. */
final class CacheServer {

  private record Kept(Bytes value, Instant until) {
    boolean staysBefore(Kept other) {
      int higher = Integer.compare(rank(value), rank(other.value));
      return higher > 0 || (higher == 0 && !until.isBefore(other.until));
    }
  }

  private final InstantSource clock;
  private final boolean heedsRank;
  private Map<OperationId, Kept> values = new HashMap<>();
  final AtomicInteger steps = new AtomicInteger();

  CacheServer(InstantSource clock) {
    this(clock, true);
  }

  CacheServer(InstantSource clock, boolean heedsRank) {
    this.clock = clock;
    this.heedsRank = heedsRank;
  }

  synchronized Optional<Bytes> get(OperationId id) {
    steps.incrementAndGet();
    return current(id).map(Kept::value);
  }

  synchronized void put(OperationId id, Bytes value, Duration life) {
    steps.incrementAndGet();
    Kept kept = new Kept(value, clock.instant().plus(life));
    if (!heedsRank || current(id).filter(there -> there.staysBefore(kept)).isEmpty()) {
      values.put(id, kept);
    }
  }

  private Optional<Kept> current(OperationId id) {
    return Optional.ofNullable(values.get(id)).filter(kept -> kept.until.isAfter(clock.instant()));
  }

  private static int rank(Bytes value) {
    return value.asBuffer().get() & 0xff;
  }

  /** Makes all that is kept older by this much. */
  synchronized void timePasses(Duration duration) {
    values.replaceAll((id, kept) -> new Kept(kept.value, kept.until.minus(duration)));
  }

  synchronized void empty() {
    values.clear();
  }

  synchronized Runnable snapshot() {
    Map<OperationId, Kept> then = new HashMap<>(values);
    return () -> restore(then);
  }

  private synchronized void restore(Map<OperationId, Kept> then) {
    values = new HashMap<>(then);
  }

  Client client() {
    return new Client();
  }

  /** What can be wrong between a client and the server. */
  enum Link {
    GOOD,
    REFUSED,
    SILENT
  }

  /** One node's way to it. */
  final class Client implements Cache {

    volatile Link link = Link.GOOD;
    private volatile boolean closed;

    @Override
    public CompletionStage<Optional<Bytes>> get(OperationId id) {
      return switch (link()) {
        case GOOD -> completedFuture(CacheServer.this.get(id));
        case REFUSED -> failedFuture(new StoreException("cache: refused", null));
        case SILENT -> new CompletableFuture<>();
      };
    }

    @Override
    public CompletionStage<Void> put(OperationId id, Bytes value, Duration life) {
      return switch (link()) {
        case GOOD -> {
          CacheServer.this.put(id, value, life);
          yield CompletableFuture.<Void>completedFuture(null);
        }
        case REFUSED -> failedFuture(new StoreException("cache: refused", null));
        case SILENT -> new CompletableFuture<>();
      };
    }

    private Link link() {
      return closed ? Link.REFUSED : link;
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
