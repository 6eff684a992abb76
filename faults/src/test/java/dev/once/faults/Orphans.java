package dev.once.faults;

import java.util.List;

/**
 * The claims for one key that may have been granted, or still be, although nobody runs them. Each
 * may take effect any number of times: a claim has several tries, and is withdrawn in between.
 */
final class Orphans {

  /** What may be done after the last event of a process that was killed. */
  private static final long LAST_MOMENTS_NANOS = 1_000_000_000;

  /**
   * @param asked it is granted no earlier
   * @param seenUntil it holds the key no longer
   * @param withdrawnUntil it is withdrawn no later: a process that was killed withdraws nothing
   */
  record Orphan(long asked, long seenUntil, long withdrawnUntil) {}

  private final List<Orphan> all;
  private final Promises promises;

  Orphans(List<Call> calls, Processes processes, Promises promises) {
    this.all = calls.stream().filter(Call::isInDoubt).map(c -> orphan(c, processes)).toList();
    this.promises = promises;
  }

  private static Orphan orphan(Call call, Processes processes) {
    String process = call.start().process();
    return call.end() == null
        ? new Orphan(
            call.asked(),
            Long.MAX_VALUE,
            Math.max(call.asked(), processes.lastHeard(process)) + LAST_MOMENTS_NANOS)
        : new Orphan(call.asked(), processes.withdrawnBy(process, call.ended()), Long.MAX_VALUE);
  }

  /** When one of them may be granted, after this and until then. */
  long[] grants(long after, long until) {
    return all.stream()
        .mapToLong(orphan -> Math.max(after, orphan.asked))
        .filter(granted -> granted <= until)
        .distinct()
        .toArray();
  }

  /** Whether one that was granted by then may still hold the key, for who asks at this time. */
  boolean maySee(long granted, long asks) {
    return all.stream().anyMatch(orphan -> orphan.asked <= granted && orphan.seenUntil >= asks);
  }

  /**
   * The earliest time from which such a one can look like a crash, for who asks at this time; never
   * if there is none.
   */
  long leaseEnds(long granted, long asks) {
    return all.stream()
        .filter(orphan -> orphan.asked <= granted && orphan.seenUntil >= asks)
        .mapToLong(orphan -> promises.earliestEnd(orphan.asked, promises.lease()))
        .min()
        .orElse(Long.MAX_VALUE);
  }

  boolean mayBeWithdrawn(long granted, long now) {
    return all.stream().anyMatch(orphan -> orphan.asked <= granted && orphan.withdrawnUntil >= now);
  }
}
