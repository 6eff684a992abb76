package dev.once.stores.tiered;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import dev.once.core.Bytes;
import dev.once.core.OperationId;
import dev.once.core.store.Cache;
import dev.once.core.store.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * A node's way to the cache, which goes wrong as the generator says: steps are refused, taken
 * without a reply, lost, or taken late, some of them twice.
 */
final class UnreliableLink implements Cache {

  /** No put is under way for longer. */
  static final Duration LONGEST_DELAY = Duration.ofSeconds(5);

  private final RandomGenerator random;
  private final ManualScheduler time;
  private final Supplier<CacheServer> server;

  /** Of a hundred steps, how many go wrong. */
  int faults;

  /** The last put arrived when it was sent. */
  boolean putArrived;

  UnreliableLink(RandomGenerator random, ManualScheduler time, Supplier<CacheServer> server) {
    this.random = random;
    this.time = time;
    this.server = server;
  }

  @Override
  public CompletionStage<Optional<Bytes>> get(OperationId id) {
    return switch (fault()) {
      case 0 -> failedFuture(new StoreException("cache: refused", null));
      case 1 -> new CompletableFuture<>();
      default -> completedFuture(server.get().get(id));
    };
  }

  @Override
  public CompletionStage<Void> put(OperationId id, Bytes value, Duration life) {
    putArrived = false;
    return switch (fault()) {
      case 0 -> failedFuture(new StoreException("cache: refused", null));
      case 1 -> new CompletableFuture<>();
      case 2 -> {
        server.get().put(id, value, life);
        yield failedFuture(new StoreException("cache: reply lost", null));
      }
      case 3 -> {
        late(id, value, life);
        yield new CompletableFuture<>();
      }
      case 4 -> {
        late(id, value, life);
        late(id, value, life);
        yield failedFuture(new StoreException("cache: reply lost", null));
      }
      default -> {
        server.get().put(id, value, life);
        putArrived = true;
        yield CompletableFuture.<Void>completedFuture(null);
      }
    };
  }

  private void late(OperationId id, Bytes value, Duration life) {
    Duration delay = Duration.ofMillis(random.nextLong(LONGEST_DELAY.toMillis()));
    Duration left = life.minus(delay);
    if (left.toMillis() > 0) {
      time.schedule(delay, () -> server.get().put(id, value, left));
    }
  }

  private int fault() {
    return random.nextInt(100) < faults ? random.nextInt(5) : -1;
  }

  @Override
  public void close() {}
}
