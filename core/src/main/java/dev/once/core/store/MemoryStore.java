package dev.once.core.store;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fence;
import dev.once.core.Header;
import dev.once.core.OperationId;
import dev.once.core.Policy;
import dev.once.core.store.spi.Watchers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store in this process's memory: for tests, for one process without durability, and as the
 * measure of what the engine itself costs. Thread-safe.
 *
 * <p>Records are immutable entries of one concurrent map. A step reads an entry, decides, and puts
 * its successor in place only if the entry is still the one it read; else it starts again. That
 * compare-and-set is what makes each step atomic.
 *
 * <p>The number of records and their bytes are bounded. At the bound, new keys are refused: to
 * evict a key would be to run its operation twice.
 */
public final class MemoryStore implements Store, Inspection {

  private static final StoreCapabilities CAPABILITIES =
      new StoreCapabilities(false, false, true, false, Policy.MAX_STORED_BODY);

  /** How many entries a claim at the bound looks at in search of expired ones. */
  private static final int SWEEP_AT_BOUND = 64;

  /** How many entries a purge looks at: others wait for the thread that it runs on. */
  private static final int SWEEP_AT_MOST = 1_000_000;

  /** What an entry costs besides its key and answer, roughly. */
  private static final int ENTRY_BYTES = 256;

  private final InstantSource clock;
  private final long maxRecords;
  private final long maxBytes;
  private final ConcurrentHashMap<OperationId, MemoryRecord> entries = new ConcurrentHashMap<>();
  private final Watchers watchers = new Watchers();
  private final AtomicLong lastFence = new AtomicLong();
  private final AtomicLong records = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final Object sweeping = new Object();
  private Iterator<Map.Entry<OperationId, MemoryRecord>> sweep = entries.entrySet().iterator();
  private volatile boolean closed;

  /** A store of at most a million records and a quarter of the heap. */
  public MemoryStore() {
    this(steadyClock(), 1_000_000, Runtime.getRuntime().maxMemory() / 4);
  }

  /**
   * @param clock decides about leases and expiry
   * @param maxRecords at this many records, new keys are refused
   * @param maxBytes at about this many bytes of keys and answers, new keys are refused
   */
  public MemoryStore(InstantSource clock, long maxRecords, long maxBytes) {
    if (maxRecords <= 0 || maxBytes <= 0) {
      throw new IllegalArgumentException(
          "maxRecords: " + maxRecords + ", maxBytes: " + maxBytes + " (expected: > 0)");
    }
    this.clock = clock;
    this.maxRecords = maxRecords;
    this.maxBytes = maxBytes;
  }

  /** The time of day at start plus the time elapsed since: it never jumps. */
  private static InstantSource steadyClock() {
    long origin = System.currentTimeMillis();
    long start = System.nanoTime();
    return new InstantSource() {
      @Override
      public long millis() {
        return origin + (System.nanoTime() - start) / 1_000_000;
      }

      @Override
      public Instant instant() {
        return Instant.ofEpochMilli(millis());
      }
    };
  }

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    return reply(() -> judge(request));
  }

  private Claim judge(ClaimRequest request) {
    OperationId id = request.id();
    while (true) {
      long now = clock.millis();
      MemoryRecord entry = entries.get(id);
      if (entry == null) {
        requireRoom(now);
        entry = entries.computeIfAbsent(id, absent -> counted(id, grant(request, 1, now, now)));
      }
      if (entry.expiresAt() <= now) {
        replace(id, entry, grant(request, 1, now, now));
      } else if (entry.answer() != null) {
        return new Claim.Finished(
            entry.fingerprint(), entry.answer(), Duration.ofMillis(entry.expiresAt() - now));
      } else if (entry.token() == request.token()) {
        return new Claim.Granted(entry.lease(id));
      } else if (entry.leaseEnds() > now) {
        return new Claim.Busy(entry.fingerprint(), Duration.ofMillis(entry.leaseEnds() - now));
      } else if (request.takeover() && entry.fingerprint().equals(request.fingerprint())) {
        replace(id, entry, grant(request, entry.attempt() + 1, entry.requestedAt(), now));
      } else {
        return new Claim.Abandoned(entry.fingerprint(), new Fence(entry.fence()));
      }
      // Replaced, by this claim or by another one: look again, and know it by the token.
    }
  }

  /**
   * A record for this request, with a new fence. Drawn only where nobody can come between (in the
   * map's own step, or for a compare-and-set that would fail): else it could be granted after a
   * higher one.
   */
  private MemoryRecord grant(ClaimRequest request, int attempt, long requestedAt, long now) {
    long fence = lastFence.incrementAndGet();
    long ends = now + request.lease().toMillis();
    long expires = ends + request.retention().toMillis();
    return new MemoryRecord(
        request.fingerprint(),
        request.token(),
        fence,
        attempt,
        requestedAt,
        ends,
        0,
        expires,
        null);
  }

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    return reply(
        () -> {
          capabilities().requireFit(answer);
          return change(lease, (entry, now) -> entry.answered(answer, now, retention))
              || isRecorded(lease);
        });
  }

  private boolean isRecorded(Lease lease) {
    MemoryRecord entry = current(lease, clock.millis());
    return entry != null && entry.answer() != null;
  }

  @Override
  public CompletionStage<Boolean> release(Lease lease) {
    return reply(() -> change(lease, (entry, now) -> null));
  }

  @Override
  public CompletionStage<Boolean> withdraw(OperationId id, long token) {
    return reply(
        () -> {
          MemoryRecord entry = entries.get(id);
          return entry != null
              && entry.token() == token
              && change(entry.lease(id), (current, now) -> null);
        });
  }

  @Override
  public CompletionStage<Boolean> renew(Lease lease, Duration length) {
    return reply(() -> change(lease, (entry, now) -> entry.renewed(now + length.toMillis())));
  }

  /** What becomes of a processing entry; null: it goes. */
  private interface Change {
    @Nullable MemoryRecord successor(MemoryRecord entry, long now);
  }

  /** Changes the processing entry that this lease owns; false if there is none. */
  private boolean change(Lease lease, Change change) {
    while (true) {
      long now = clock.millis();
      MemoryRecord entry = current(lease, now);
      if (entry == null || entry.answer() != null) {
        return false;
      }
      MemoryRecord successor = change.successor(entry, now);
      boolean changed =
          successor == null ? remove(lease.id(), entry) : replace(lease.id(), entry, successor);
      if (changed) {
        if (successor == null || successor.answer() != null) {
          watchers.wake(lease.id());
        }
        return true;
      }
    }
  }

  /** The entry that this lease owns; null if there is none, or it has expired. */
  private @Nullable MemoryRecord current(Lease lease, long now) {
    MemoryRecord entry = entries.get(lease.id());
    return entry != null && entry.fence() == lease.fence().value() && entry.expiresAt() > now
        ? entry
        : null;
  }

  private <T> CompletionStage<T> reply(Supplier<T> step) {
    if (closed) {
      return failedFuture(new StoreClosedException("memory store"));
    }
    try {
      return completedFuture(step.get());
    } catch (RuntimeException e) {
      return failedFuture(e);
    }
  }

  private MemoryRecord counted(OperationId id, MemoryRecord added) {
    records.incrementAndGet();
    account(size(id, added));
    return added;
  }

  private boolean replace(OperationId id, MemoryRecord before, MemoryRecord after) {
    boolean done = entries.replace(id, before, after);
    if (done) {
      account(size(id, after) - size(id, before));
    }
    return done;
  }

  private boolean remove(OperationId id, MemoryRecord entry) {
    boolean done = entries.remove(id, entry);
    if (done) {
      records.decrementAndGet();
      account(-size(id, entry));
    }
    return done;
  }

  private void account(long change) {
    if (change != 0) {
      bytes.addAndGet(change);
    }
  }

  private static long size(OperationId id, MemoryRecord entry) {
    long size = ENTRY_BYTES + (long) id.key().bytes().size();
    if (entry.answer() != null) {
      for (Header header : entry.answer().headers()) {
        size += header.name().length() + header.value().length();
      }
      size += entry.answer().body() instanceof Body.Full full ? full.bytes().size() : 0;
    }
    return size;
  }

  private void requireRoom(long now) {
    if (isFull()) {
      sweep(SWEEP_AT_BOUND, SWEEP_AT_BOUND, now);
      if (isFull()) {
        throw new StoreFullException(
            "memory store: %d records, %d bytes (expected: fewer than %d and %d); wait for keys to"
                    .formatted(records.get(), bytes.get(), maxRecords, maxBytes)
                + " expire, or raise the bound");
      }
    }
  }

  private boolean isFull() {
    return records.get() >= maxRecords || bytes.get() >= maxBytes;
  }

  @Override
  public CompletionStage<Integer> purgeExpired(int atMost) {
    return reply(() -> sweep(atMost, SWEEP_AT_MOST, clock.millis()));
  }

  /**
   * Removes expired entries, going on where the last sweep stopped, so that repeated calls see all
   * entries; at most once around.
   */
  private int sweep(int removeAtMost, int lookAtMost, long now) {
    synchronized (sweeping) {
      int removed = 0;
      boolean wrapped = false;
      for (int looked = 0; looked < lookAtMost && removed < removeAtMost; looked++) {
        if (!sweep.hasNext()) {
          if (wrapped) {
            break;
          }
          wrapped = true;
          sweep = entries.entrySet().iterator();
          if (!sweep.hasNext()) {
            break;
          }
        }
        Map.Entry<OperationId, MemoryRecord> next = sweep.next();
        if (next.getValue().expiresAt() <= now && remove(next.getKey(), next.getValue())) {
          removed++;
        }
      }
      return removed;
    }
  }

  /** How many records there are, the expired ones that were not purged yet included. */
  public long size() {
    return records.get();
  }

  @Override
  public StoreCapabilities capabilities() {
    return CAPABILITIES;
  }

  @Override
  public Inspection inspection() {
    return this;
  }

  @Override
  public CompletionStage<Optional<OperationRecord>> find(OperationId id) {
    return reply(
        () ->
            Optional.ofNullable(entries.get(id))
                .filter(entry -> entry.expiresAt() > clock.millis())
                .map(entry -> entry.view(id)));
  }

  @Override
  public CompletionStage<Counts> count() {
    return reply(this::countNow);
  }

  private Counts countNow() {
    long now = clock.millis();
    long processing = 0;
    long abandoned = 0;
    long done = 0;
    long failed = 0;
    for (MemoryRecord entry : entries.values()) {
      if (entry.expiresAt() > now) {
        switch (entry.status()) {
          case PROCESSING -> {
            processing++;
            abandoned += entry.leaseEnds() <= now ? 1 : 0;
          }
          case DONE -> done++;
          case FAILED -> failed++;
        }
      }
    }
    return new Counts(processing, abandoned, done, failed);
  }

  @Override
  public CompletionStage<Boolean> forceRelease(OperationId id, Fence seen) {
    return reply(
        () -> {
          while (true) {
            MemoryRecord entry = entries.get(id);
            if (entry == null
                || entry.fence() != seen.value()
                || entry.expiresAt() <= clock.millis()) {
              return false;
            }
            if (remove(id, entry)) {
              watchers.wake(id);
              return true;
            }
          }
        });
  }

  @Override
  public Watch watch(OperationId id, Runnable wake) {
    return watchers.add(id, wake);
  }

  @Override
  public void close() {
    closed = true;
  }
}
