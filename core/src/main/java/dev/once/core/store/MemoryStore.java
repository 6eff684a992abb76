package dev.once.core.store;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fence;
import dev.once.core.Fingerprint;
import dev.once.core.Lease;
import dev.once.core.OperationId;
import dev.once.core.Policy;
import dev.once.core.store.OperationRecord.Status;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
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

  /** How many entries a claim at the bound looks at in search of expired ones. */
  private static final int SWEEP_AT_BOUND = 64;

  /** What an entry costs besides its key and answer, roughly. */
  private static final int ENTRY_BYTES = 256;

  private final InstantSource clock;
  private final long maxRecords;
  private final long maxBytes;
  private final ConcurrentHashMap<OperationId, Entry> entries = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<OperationId, List<Watcher>> watchers = new ConcurrentHashMap<>();
  private final AtomicLong lastFence = new AtomicLong();
  private final AtomicLong records = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final Object sweeping = new Object();
  private Iterator<Map.Entry<OperationId, Entry>> sweep = entries.entrySet().iterator();
  private volatile boolean closed;

  /** A store of at most a million records and a quarter of the heap. */
  public MemoryStore() {
    this(steadyClock(), 1_000_000, Runtime.getRuntime().maxMemory() / 4);
  }

  /**
   * @param clock decides about leases and expiry
   * @param maxRecords at this many records, new keys are refused
   * @param maxBytes at this many bytes of keys and answers, new keys are refused
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

  /**
   * One record. Times are milliseconds of the store's clock.
   *
   * @param completedAt 0 while processing
   * @param answer null while processing
   */
  private record Entry(
      Fingerprint fingerprint,
      long token,
      long fence,
      int attempt,
      long requestedAt,
      long leaseEnds,
      long completedAt,
      long expiresAt,
      @Nullable Answer answer) {

    Lease lease(OperationId id) {
      return new Lease(id, new Fence(fence), attempt);
    }

    // Entries are compared by identity: a successor with equal values is another entry.
    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    if (closed) {
      return failedFuture(closedException());
    }
    while (true) {
      long now = clock.millis();
      Entry entry = entries.get(request.id());
      if (entry == null) {
        if (!hasRoom(now)) {
          return failedFuture(full());
        }
        entry = entries.computeIfAbsent(request.id(), id -> counted(id, grant(request, now)));
      }
      if (entry.expiresAt <= now) {
        replace(request.id(), entry, grant(request, now));
      } else if (entry.answer != null) {
        return completedFuture(new Claim.Finished(entry.fingerprint, entry.answer));
      } else if (entry.token == request.token()) {
        return completedFuture(new Claim.Granted(entry.lease(request.id())));
      } else if (entry.leaseEnds > now) {
        Duration remaining = Duration.ofMillis(entry.leaseEnds - now);
        return completedFuture(new Claim.Busy(entry.fingerprint, remaining));
      } else if (request.takeover() && entry.fingerprint.equals(request.fingerprint())) {
        replace(request.id(), entry, takeover(request, entry, now));
      } else {
        return completedFuture(new Claim.Abandoned(entry.fingerprint, new Fence(entry.fence)));
      }
      // Whether the entry was replaced by this claim or by another one: look again, by the token.
    }
  }

  /**
   * Draws the fence. Called where nobody else can change the key in between (in the map's own step,
   * or before a compare-and-set that then fails): else a fence drawn early could be granted late.
   */
  private Entry grant(ClaimRequest request, long now) {
    long leaseEnds = now + request.lease().toMillis();
    return new Entry(
        request.fingerprint(),
        request.token(),
        lastFence.incrementAndGet(),
        1,
        now,
        leaseEnds,
        0,
        leaseEnds + request.retention().toMillis(),
        null);
  }

  private Entry takeover(ClaimRequest request, Entry lost, long now) {
    Entry first = grant(request, now);
    return new Entry(
        first.fingerprint,
        first.token,
        first.fence,
        lost.attempt + 1,
        lost.requestedAt,
        first.leaseEnds,
        0,
        first.expiresAt,
        null);
  }

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    int size = bodyBytes(answer);
    if (size > Policy.MAX_STORED_BODY) {
      return failedFuture(
          new IllegalArgumentException(
              "answer: " + size + " bytes (expected: at most " + Policy.MAX_STORED_BODY + ")"));
    }
    if (closed) {
      return failedFuture(closedException());
    }
    while (true) {
      long now = clock.millis();
      Entry entry = current(lease, now);
      if (entry == null || entry.answer != null) {
        return completedFuture(entry != null);
      }
      Entry done =
          new Entry(
              entry.fingerprint,
              entry.token,
              entry.fence,
              entry.attempt,
              entry.requestedAt,
              entry.leaseEnds,
              now,
              now + retention.toMillis(),
              answer);
      if (replace(lease.id(), entry, done)) {
        wake(lease.id());
        return completedFuture(true);
      }
    }
  }

  @Override
  public CompletionStage<Boolean> release(Lease lease) {
    if (closed) {
      return failedFuture(closedException());
    }
    while (true) {
      Entry entry = current(lease, clock.millis());
      if (entry == null || entry.answer != null) {
        return completedFuture(false);
      }
      if (remove(lease.id(), entry)) {
        wake(lease.id());
        return completedFuture(true);
      }
    }
  }

  @Override
  public CompletionStage<Boolean> renew(Lease lease, Duration length) {
    if (closed) {
      return failedFuture(closedException());
    }
    while (true) {
      long now = clock.millis();
      Entry entry = current(lease, now);
      if (entry == null || entry.answer != null) {
        return completedFuture(false);
      }
      long leaseEnds = now + length.toMillis();
      Entry renewed =
          new Entry(
              entry.fingerprint,
              entry.token,
              entry.fence,
              entry.attempt,
              entry.requestedAt,
              leaseEnds,
              0,
              entry.expiresAt + (leaseEnds - entry.leaseEnds),
              null);
      if (replace(lease.id(), entry, renewed)) {
        return completedFuture(true);
      }
    }
  }

  /** The entry that this lease owns; null if there is none, or it has expired. */
  private @Nullable Entry current(Lease lease, long now) {
    Entry entry = entries.get(lease.id());
    return entry != null && entry.fence == lease.fence().value() && entry.expiresAt > now
        ? entry
        : null;
  }

  private Entry counted(OperationId id, Entry added) {
    records.incrementAndGet();
    account(size(id, added));
    return added;
  }

  private boolean replace(OperationId id, Entry before, Entry after) {
    boolean done = entries.replace(id, before, after);
    if (done) {
      account(size(id, after) - size(id, before));
    }
    return done;
  }

  private boolean remove(OperationId id, Entry entry) {
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

  private static long size(OperationId id, Entry entry) {
    long size = ENTRY_BYTES + (long) id.key().bytes().size();
    return entry.answer == null ? size : size + bodyBytes(entry.answer);
  }

  private static int bodyBytes(Answer answer) {
    return answer.body() instanceof Body.Full full ? full.bytes().size() : 0;
  }

  private boolean hasRoom(long now) {
    if (records.get() < maxRecords && bytes.get() < maxBytes) {
      return true;
    }
    sweep(SWEEP_AT_BOUND, SWEEP_AT_BOUND, now);
    return records.get() < maxRecords && bytes.get() < maxBytes;
  }

  @Override
  public CompletionStage<Integer> purgeExpired(int atMost) {
    if (closed) {
      return failedFuture(closedException());
    }
    return completedFuture(sweep(atMost, Integer.MAX_VALUE, clock.millis()));
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
        Map.Entry<OperationId, Entry> next = sweep.next();
        if (next.getValue().expiresAt <= now && remove(next.getKey(), next.getValue())) {
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
    return new StoreCapabilities(false, false, true, false, Policy.MAX_STORED_BODY);
  }

  @Override
  public Inspection inspection() {
    return this;
  }

  @Override
  public CompletionStage<Optional<OperationRecord>> find(OperationId id) {
    if (closed) {
      return failedFuture(closedException());
    }
    Entry entry = entries.get(id);
    if (entry == null || entry.expiresAt <= clock.millis()) {
      return completedFuture(Optional.empty());
    }
    return completedFuture(Optional.of(view(id, entry)));
  }

  private static OperationRecord view(OperationId id, Entry entry) {
    return new OperationRecord(
        entry.lease(id),
        entry.fingerprint,
        status(entry),
        Instant.ofEpochMilli(entry.requestedAt),
        Instant.ofEpochMilli(entry.leaseEnds),
        entry.answer == null ? null : Instant.ofEpochMilli(entry.completedAt),
        Instant.ofEpochMilli(entry.expiresAt),
        entry.answer);
  }

  private static Status status(Entry entry) {
    return entry.answer == null ? Status.PROCESSING : Status.of(entry.answer.outcome());
  }

  @Override
  public CompletionStage<Counts> count() {
    if (closed) {
      return failedFuture(closedException());
    }
    long now = clock.millis();
    long processing = 0;
    long abandoned = 0;
    long done = 0;
    long failed = 0;
    for (Entry entry : entries.values()) {
      if (entry.expiresAt > now) {
        switch (status(entry)) {
          case PROCESSING -> {
            processing++;
            abandoned += entry.leaseEnds <= now ? 1 : 0;
          }
          case DONE -> done++;
          case FAILED -> failed++;
        }
      }
    }
    return completedFuture(new Counts(processing, abandoned, done, failed));
  }

  @Override
  public CompletionStage<Boolean> forceRelease(OperationId id, Fence seen) {
    if (closed) {
      return failedFuture(closedException());
    }
    while (true) {
      Entry entry = entries.get(id);
      if (entry == null || entry.fence != seen.value() || entry.expiresAt <= clock.millis()) {
        return completedFuture(false);
      }
      if (remove(id, entry)) {
        wake(id);
        return completedFuture(true);
      }
    }
  }

  /** One watch, by identity: the same {@code wake} may watch twice. */
  private static final class Watcher {
    private final Runnable wake;

    Watcher(Runnable wake) {
      this.wake = wake;
    }
  }

  @Override
  public Watch watch(OperationId id, Runnable wake) {
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

  private void wake(OperationId id) {
    if (!watchers.isEmpty()) {
      watchers.getOrDefault(id, List.of()).forEach(watcher -> watcher.wake.run());
    }
  }

  @Override
  public void close() {
    closed = true;
  }

  private static StoreException closedException() {
    return new StoreException("memory store: closed (expected: open)", null);
  }

  private StoreFullException full() {
    return new StoreFullException(
        "memory store: full at "
            + records
            + " records and "
            + bytes
            + " bytes (expected: below "
            + maxRecords
            + " and "
            + maxBytes
            + "); wait for keys to expire, or raise the bound");
  }
}
