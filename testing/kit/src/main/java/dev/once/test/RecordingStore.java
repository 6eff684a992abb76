package dev.once.test;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.Key;
import dev.once.core.Once;
import dev.once.core.OperationId;
import dev.once.core.Refusal.Reason;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Inspection;
import dev.once.core.store.Lease;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.Store;
import dev.once.core.store.StoreCapabilities;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A real store in memory, whose time is a {@link TestClock}, and which remembers what happened to
 * each operation. It can lose its owners ({@link #crash}) and be out of reach ({@link #goDown}).
 * Give it to whatever makes the application's {@link Once}, or take {@link #once()}. Thread-safe.
 */
public final class RecordingStore implements Store {

  /** Which store an engine that was made here stands on, for {@link OnceAssertions}. */
  private static final Map<Once, RecordingStore> ENGINES =
      Collections.synchronizedMap(new WeakHashMap<>());

  private final TestClock clock;
  private final MemoryStore memory;
  private final Map<OperationId, History> histories = new ConcurrentHashMap<>();
  private final Set<Fence> crashed = ConcurrentHashMap.newKeySet();
  private volatile boolean down;

  /** A store with a clock of its own. */
  public RecordingStore() {
    this(new TestClock());
  }

  public RecordingStore(TestClock clock) {
    this.clock = clock;
    memory = new MemoryStore(clock, 1_000_000, Runtime.getRuntime().maxMemory() / 4);
  }

  public TestClock clock() {
    return clock;
  }

  /** A new engine on this store, with its timers on this store's clock: as another process. */
  public Once once() {
    return once(builder -> builder);
  }

  /** {@link #once()} with other settings. */
  public Once once(UnaryOperator<Once.Builder> settings) {
    Once once = settings.apply(Once.builder(this).scheduler(clock)).build();
    ENGINES.put(once, this);
    return once;
  }

  /** The store of an engine that {@link #once()} made; null if it was made elsewhere. */
  static @Nullable RecordingStore of(Once once) {
    return ENGINES.get(once);
  }

  /**
   * As if the process died now: whatever runs is never recorded, released or renewed, and when its
   * lease is over its crash policy decides. Engines can be used on, as the process that comes
   * after.
   */
  public void crash() {
    for (History history : histories.values()) {
      for (Fence fence : history.running()) {
        crashed.add(fence);
        history.add(new Event.Crashed(clock.instant(), fence));
      }
    }
  }

  /** From now on claims fail, as if the store could not be reached. What runs can still end. */
  public void goDown() {
    down = true;
  }

  public void comeBack() {
    down = false;
  }

  /** What happened to each operation that was asked for, in no order. */
  public List<History> histories() {
    return List.copyOf(histories.values());
  }

  /** What happened to this operation; nothing, if it was never asked for. */
  public History history(OperationId id) {
    return histories.getOrDefault(id, new History(id));
  }

  /** What happened under this key, for each scope that used it. */
  public List<History> histories(String key) {
    Key wanted = Key.of(key);
    return histories().stream().filter(h -> h.operation().key().equals(wanted)).toList();
  }

  /** The record that there is now of an operation: none if it is new, released or expired. */
  public Optional<OperationRecord> record(OperationId id) {
    return memory.find(id).toCompletableFuture().join();
  }

  private History of(OperationId id) {
    return histories.computeIfAbsent(id, History::new);
  }

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    History history = of(request.id());
    if (down) {
      history.refused(request.token(), new Event.Refused(clock.instant(), Reason.STORE_DOWN));
      return CompletableFuture.failedFuture(
          new StepNotTakenException("recording store: down (expected: comeBack() was called)"));
    }
    synchronized (history) { // so that what a claim replies is told in the order of the replies
      return memory
          .claim(request)
          .whenComplete(
              (claim, failure) -> {
                if (failure == null) {
                  history.asked(request, claim, clock.instant());
                }
              });
    }
  }

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    return end(
        lease,
        () -> memory.complete(lease, answer, retention),
        new Event.Ended(clock.instant(), lease.fence(), answer));
  }

  @Override
  public CompletionStage<Boolean> release(Lease lease) {
    return end(
        lease, () -> memory.release(lease), new Event.Released(clock.instant(), lease.fence()));
  }

  @Override
  public CompletionStage<Boolean> withdraw(OperationId id, long token) {
    synchronized (of(id)) { // no claim comes between, so the fence is the withdrawn one's
      return memory
          .find(id)
          .thenCompose(
              record ->
                  record.isEmpty()
                      ? CompletableFuture.completedFuture(false)
                      : withdraw(record.get().lease(), token));
    }
  }

  private CompletionStage<Boolean> withdraw(Lease seen, long token) {
    return crashed.contains(seen.fence())
        ? CompletableFuture.completedFuture(false)
        : memory
            .withdraw(seen.id(), token)
            .whenComplete(
                (withdrawn, failure) -> {
                  if (failure == null && withdrawn) {
                    of(seen.id()).add(new Event.Released(clock.instant(), seen.fence()));
                  }
                });
  }

  /**
   * The event is there before the step is taken, because the step wakes those who wait for it, and
   * what happens to them comes after.
   */
  private CompletionStage<Boolean> end(Lease lease, Step step, Event event) {
    History history = of(lease.id());
    if (crashed.contains(lease.fence())) {
      history.add(new Event.CameLate(clock.instant(), lease.fence()));
      return CompletableFuture.completedFuture(false);
    }
    history.add(event);
    return step.take()
        .whenComplete(
            (current, failure) -> {
              if (failure != null) {
                history.remove(event);
              } else if (!current) {
                history.remove(event);
                history.add(new Event.CameLate(clock.instant(), lease.fence()));
              }
            });
  }

  private interface Step {
    CompletionStage<Boolean> take();
  }

  @Override
  public CompletionStage<Boolean> renew(Lease lease, Duration length) {
    return crashed.contains(lease.fence())
        ? CompletableFuture.completedFuture(false)
        : memory.renew(lease, length);
  }

  @Override
  public CompletionStage<Integer> purgeExpired(int atMost) {
    return memory.purgeExpired(atMost);
  }

  @Override
  public StoreCapabilities capabilities() {
    return memory.capabilities();
  }

  @Override
  public Inspection inspection() {
    return new Inspection() {
      @Override
      public CompletionStage<Optional<OperationRecord>> find(OperationId id) {
        return memory.find(id);
      }

      @Override
      public CompletionStage<Counts> count() {
        return memory.count();
      }

      @Override
      public CompletionStage<Boolean> forceRelease(OperationId id, Fence seen) {
        return memory
            .forceRelease(id, seen)
            .whenComplete(
                (released, failure) -> {
                  if (failure == null && released) {
                    of(id).add(new Event.Released(clock.instant(), seen));
                  }
                });
      }
    };
  }

  @Override
  public Watch watch(OperationId id, Runnable wake) {
    return memory.watch(id, wake);
  }

  @Override
  public void close() {
    memory.close();
  }
}
