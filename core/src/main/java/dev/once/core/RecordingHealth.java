package dev.once.core;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.OutOfRoomException;
import dev.once.core.store.StoreFullException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows whether answers can be recorded. On a full disk there may be room for a claim but not for
 * its answer. An operation that runs then has an unknown outcome. So:
 *
 * <ol>
 *   <li>After a record that the store had no room for, nothing is claimed. A record that failed
 *       otherwise is no sign: a store that is lost or broken fails claims as well, and one answer
 *       that a server does not take says nothing about others.
 *   <li>That lasts until a write succeeds: the same record again, another record of the same size,
 *       or a probe.
 *   <li>A probe claims a key of its own, and records random bytes: as many as there was no room
 *       for. A claim starts a probe, or waits for the one that runs. After a failed probe there is
 *       a pause of one second, in which all claims are refused at once.
 * </ol>
 *
 * Each engine learns for itself that its store is full: by a record that failed, or by a probe that
 * somebody asked for.
 */
final class RecordingHealth {

  private static final Logger log = LoggerFactory.getLogger(Once.class);

  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration PROBE_LEASE = Duration.ofSeconds(1);
  private static final Duration PROBE_RETENTION = Duration.ofMillis(1);
  private static final Scope PROBE_SCOPE = new Scope("", "", "once.probe");
  private static final int SMALLEST_PROBE = 16 * 1024;

  private final StoreCalls store;
  private final Settings settings;
  private volatile boolean fails;

  // Guarded by this.
  private int needed;
  private @Nullable CompletableFuture<Boolean> probe;
  private long probedAt;

  RecordingHealth(StoreCalls store, Settings settings) {
    this.store = store;
    this.settings = settings;
  }

  /** Whether no record has failed since one succeeded. */
  boolean works() {
    return !fails;
  }

  void succeeded(Answer answer) {
    if (fails) {
      proven(size(answer));
    }
  }

  void failed(Answer answer, Throwable failure) {
    failed(size(answer), failure, true);
  }

  private synchronized void proven(int bytes) {
    if (fails && bytes >= needed) {
      fails = false;
      needed = 0;
      log.info("answers can be recorded again");
    }
  }

  static boolean isFull(Throwable failure) {
    return failure instanceof OutOfRoomException || failure instanceof StoreFullException;
  }

  private synchronized void failed(int bytes, Throwable failure, boolean probeAgain) {
    if (!isFull(failure)) {
      return;
    }
    if (!fails) {
      log.error("no room for an answer, nothing is claimed until there is: {}", failure.toString());
    }
    fails = true;
    needed = Math.max(needed, bytes);
    if (probeAgain && probe != null && probe.isDone() && probe.join()) {
      probe = null; // what it said is out of date
    }
  }

  /** Whether answers can be recorded, by a write of the last second or of now. Never fails. */
  synchronized CompletableFuture<Boolean> probe() {
    CompletableFuture<Boolean> last = probe;
    boolean recent = settings.scheduler().nanoTime() - probedAt < PAUSE.toNanos();
    if (last != null && (!last.isDone() || recent)) {
      return last;
    }
    int largest = settings.store().capabilities().maxAnswerBytes();
    int size = Math.min(largest, Math.max(SMALLEST_PROBE, needed));
    CompletableFuture<Boolean> next = new CompletableFuture<>();
    probe = next;
    write(size)
        .whenComplete(
            (written, failure) -> {
              synchronized (this) {
                probedAt = settings.scheduler().nanoTime();
              }
              next.complete(Boolean.TRUE.equals(written));
            });
    return next;
  }

  private CompletableFuture<Boolean> write(int size) {
    byte[] body = new byte[size];
    settings.random().nextBytes(body);
    Answer answer = Answer.success(0, new Body.Full(Bytes.wrap(body)));
    long token = settings.random().nextLong();
    OperationId id = new OperationId(PROBE_SCOPE, Key.of(Long.toHexString(token)));
    ClaimRequest request =
        new ClaimRequest(id, Fingerprint.of("probe"), token, PROBE_LEASE, PROBE_RETENTION, false);
    return store
        .claim(request, (reply, failure) -> {})
        .handle(
            (claim, failure) ->
                claim instanceof Claim.Granted granted
                    ? record(granted.lease(), answer, size)
                    // One that takes no more keys says so to whoever claims.
                    : completedFuture(
                        failure != null && StoreCalls.cause(failure) instanceof StoreFullException))
        .thenCompose(Function.identity());
  }

  private CompletableFuture<Boolean> record(Lease lease, Answer answer, int size) {
    return store
        .complete(lease, answer, PROBE_RETENTION)
        .whenComplete(
            (recorded, failure) -> {
              if (failure != null) {
                failed(size, StoreCalls.cause(failure), false);
                store.release(lease);
              } else if (recorded) {
                proven(size);
              }
            });
  }

  private static int size(Answer answer) {
    return answer.body() instanceof Body.Full full ? full.bytes().size() : 0;
  }
}
