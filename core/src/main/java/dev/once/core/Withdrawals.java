package dev.once.core;

import dev.once.core.spi.Scheduler;
import dev.once.core.store.Claim;
import dev.once.core.store.RecordFormatException;
import dev.once.core.store.StoreClosedException;
import dev.once.core.store.UnconfirmedException;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees the keys of claims in doubt: they were granted, or may still be granted, and nobody runs
 * them.
 *
 * <ol>
 *   <li>Each is withdrawn by its token. A withdrawal never grants anything, so it can be repeated.
 *   <li>It is tried until the store replies, with growing pauses.
 *   <li>Then it is repeated, with growing pauses, because a claim that timed out may still reach
 *       the store: the kernel can keep the last bytes of a connection for a quarter of an hour.
 *   <li>If replies came late to all of its tries, or they were not confirmed, none is under way,
 *       and one withdrawal is enough.
 * </ol>
 *
 * <p>Only so many are under way at once, because a store that comes back has other things to do,
 * and only so many a second if none gets a reply. The others queue, up to a number that no heap
 * minds: a store can be down for hours. If there are more, a claim that was withdrawn at least once
 * is dropped; if there is no such claim, the new one is not withdrawn. In a long outage the oldest
 * claims matter most: they were in flight when it began. There is one timer for all of them, and no
 * timer while the queue is empty.
 */
final class Withdrawals {

  private static final Logger log = LoggerFactory.getLogger(Once.class);

  /** Each takes some 700 bytes. */
  static final int MAX = 100_000;

  private static final int MAX_AT_ONCE = 64;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
  private static final Duration WHEN_NONE_REPLIES = Duration.ofSeconds(1);
  private static final Duration FIRST_REPEAT = Duration.ofSeconds(1);
  private static final Duration LONGEST_REPEAT = Duration.ofMinutes(1);
  private static final Duration WARN_EVERY = Duration.ofMinutes(1);

  /** Linux gives a connection up after some 16 minutes without a sign of life. */
  private static final Duration REPEAT_FOR = Duration.ofMinutes(20);

  private final StoreCalls store;
  private final Settings settings;
  private final Scheduler scheduler;
  private final int most;

  // Guarded by this, as are the fields of the claims.
  private final TreeSet<ClaimTries> queue =
      new TreeSet<>(
          Comparator.<ClaimTries>comparingLong(tries -> tries.due)
              .thenComparingLong(tries -> tries.order));

  /** Those in the queue that were withdrawn at least once; the first has waited longest. */
  private final LinkedHashSet<ClaimTries> evictable = new LinkedHashSet<>();

  private long added;
  private int atOnce;
  private int failuresInARow;
  private long notBefore;
  private Scheduler.@Nullable Timer timer;
  private long timerAt;
  private boolean closed;
  private long dropped;
  private long warnedAt;

  Withdrawals(StoreCalls store, Settings settings, int most) {
    this.store = store;
    this.settings = settings;
    this.most = most;
    this.scheduler = settings.scheduler();
    this.notBefore = scheduler.nanoTime();
  }

  /** A try of this claim failed. */
  void failed(ClaimTries tries, Throwable failure) {
    if (!ClaimTries.isReply(failure)) {
      synchronized (this) {
        tries.failed(failure);
      }
    }
  }

  /** Nobody runs this claim, or will: if it may have been granted, it is withdrawn. */
  void add(ClaimTries tries) {
    if (tries.wasTroubled()) {
      addTroubled(tries);
    }
  }

  private synchronized void addTroubled(ClaimTries tries) {
    if (!tries.mayBeGranted()) {
      return;
    }
    if (closed) {
      log.warn("{}: claim in doubt not withdrawn, once is closed", tries.request.id());
      return;
    }
    tries.over = true;
    tries.order = added++;
    tries.pauseNanos = FIRST_PAUSE.toNanos();
    if (queue.size() + atOnce >= most && !forgetOne()) {
      warnOfDropped(tries);
      return;
    }
    enqueue(tries, scheduler.nanoTime() + pause(tries, LONGEST_PAUSE));
    setTimer();
  }

  private void warnOfDropped(ClaimTries tries) {
    long now = scheduler.nanoTime();
    if (dropped++ == 0 || now - warnedAt >= WARN_EVERY.toNanos()) {
      warnedAt = now;
      log.warn(
          "{}: claim in doubt not withdrawn: the queue of withdrawals is full ({} claims);"
              + " {} claims were dropped for that reason so far",
          tries.request.id(),
          most,
          dropped);
    }
  }

  private boolean forgetOne() {
    if (evictable.isEmpty()) {
      return false;
    }
    dequeue(evictable.iterator().next());
    return true;
  }

  /** Nobody runs this claim any more, and the store did not say that it released it. */
  synchronized void addUnreleased(ClaimTries tries) {
    tries.orphaned();
    add(tries);
  }

  /** A reply to a try that was given up, and counted as failed. */
  void repliedLate(ClaimTries tries, @Nullable Claim reply, @Nullable Throwable failure) {
    Throwable cause = failure == null ? null : StoreCalls.cause(failure);
    boolean unconfirmed = cause instanceof UnconfirmedException;
    if (cause != null && !unconfirmed && !ClaimTries.isReply(cause)) {
      return;
    }
    boolean lastChance;
    synchronized (this) {
      tries.repliedLate(unconfirmed || reply instanceof Claim.Granted);
      storeReplied();
      if (tries.over && !tries.sent && !closed) {
        dequeue(tries);
        if (tries.mayBeGranted()) {
          enqueue(tries, scheduler.nanoTime());
        }
      }
      lastChance = closed && reply instanceof Claim.Granted;
    }
    if (lastChance) {
      store.withdraw(tries.request);
    }
    sendDue();
  }

  synchronized void close() {
    closed = true;
    long neverReplied = queue.stream().filter(tries -> !tries.replied).count();
    if (neverReplied > 0) {
      log.warn("{} claims in doubt not withdrawn: closed before the store replied", neverReplied);
    }
    queue.clear();
    evictable.clear();
    if (timer != null) {
      timer.cancel();
    }
  }

  private void sendDue() {
    for (ClaimTries next = nextDue(); next != null; next = nextDue()) {
      send(next);
    }
  }

  private synchronized @Nullable ClaimTries nextDue() {
    if (setTimer() || queue.isEmpty() || atOnce == MAX_AT_ONCE) {
      return null;
    }
    ClaimTries next = queue.first();
    dequeue(next);
    next.sent = true;
    next.settledWhenSent = next.isSettled();
    atOnce++;
    return next;
  }

  /** For the first that is due later; false if there is none, or one is due now. */
  private boolean setTimer() {
    if (queue.isEmpty() || atOnce == MAX_AT_ONCE) {
      return false;
    }
    long now = scheduler.nanoTime();
    long delay = Math.max(queue.first().due - now, notBefore - now);
    if (delay <= 0) {
      return false;
    }
    if (timer == null || timerAt - now - delay > 0) {
      if (timer != null) {
        timer.cancel();
      }
      timerAt = now + delay;
      timer = scheduler.schedule(Duration.ofNanos(delay), this::tick);
    }
    return true;
  }

  private void tick() {
    synchronized (this) {
      timer = null;
    }
    sendDue();
  }

  private void send(ClaimTries tries) {
    var reply = store.withdraw(tries.request);
    boolean atOnceReplied = reply.isDone();
    reply.whenComplete(
        (withdrawn, failure) -> {
          if (failure == null && withdrawn) {
            log.info("{}: granted to nobody, withdrawn; the key is free", tries.request.id());
          }
          ended(tries, failure == null ? null : StoreCalls.cause(failure));
          if (!atOnceReplied) {
            sendDue();
          }
        });
  }

  private synchronized void ended(ClaimTries tries, @Nullable Throwable failure) {
    atOnce--;
    tries.sent = false;
    if (closed || failure instanceof StoreClosedException) {
      return;
    }
    long now = scheduler.nanoTime();
    if (failure != null && !(failure instanceof RecordFormatException)) {
      tries.withdrawn |= failure instanceof UnconfirmedException;
      if (++failuresInARow % MAX_AT_ONCE == 0) {
        notBefore = now + WHEN_NONE_REPLIES.toNanos();
      }
      enqueue(tries, now + pause(tries, LONGEST_PAUSE));
      return;
    }
    storeReplied();
    if (tries.settledWhenSent || !tries.mayBeGranted()) {
      return;
    }
    if (!tries.replied) {
      tries.replied = true;
      tries.withdrawn = true;
      tries.repeatUntil = now + REPEAT_FOR.toNanos();
      tries.pauseNanos = FIRST_REPEAT.toNanos();
    }
    long due = tries.isSettled() ? now : now + pause(tries, LONGEST_REPEAT);
    if (due - tries.repeatUntil <= 0) {
      enqueue(tries, due);
    }
  }

  private void enqueue(ClaimTries tries, long due) {
    tries.due = due;
    queue.add(tries);
    if (tries.withdrawn) {
      evictable.add(tries);
    }
  }

  private void dequeue(ClaimTries tries) {
    queue.remove(tries);
    evictable.remove(tries);
  }

  /** The pause that is due, some less so that they do not all come together; the next is longer. */
  private long pause(ClaimTries tries, Duration longest) {
    long pause = tries.pauseNanos;
    tries.pauseNanos = Math.min(2 * pause, longest.toNanos());
    return settings.jitter(Duration.ofNanos(pause)).toNanos();
  }

  private void storeReplied() {
    failuresInARow = 0;
    notBefore = scheduler.nanoTime();
  }
}
