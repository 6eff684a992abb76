package dev.once.faults;

import java.time.Duration;
import java.util.Set;

/**
 * What the checker holds a history to.
 *
 * @param lease of every operation
 * @param notPromised rules that a store or a fault may break. Three of them hold even then, in the
 *     weaker form that is documented; see the methods.
 */
record Promises(Duration lease, Set<Rule> notPromised) {

  /** Milliseconds are cut off, and two clocks differ a little in pace. */
  static final Duration CLOCK_ERROR = Duration.ofMillis(20);

  /** Decision 0013: a put that was under way for longer is refused by the cache itself. */
  private static final Duration LATEST_PUT = Duration.ofSeconds(10);

  /** Decision 0013: how long a mark may say "busy". */
  private static final Duration BUSY_FOR = Duration.ofSeconds(1);

  private static final Set<Rule> RULES_WITH_WEAKER_FORM =
      Set.of(Rule.BUSY_ENDS, Rule.RELEASED_IS_GONE, Rule.LEASE_RESPECTED);

  static Promises all(Duration lease) {
    return new Promises(lease, Set.of());
  }

  private boolean isPromised(Rule rule) {
    return !notPromised.contains(rule);
  }

  /** The rule about "busy" is then one about "busy" for too long. */
  boolean isChecked(Rule rule) {
    return isPromised(rule) || rule == Rule.BUSY_ENDS;
  }

  /** Without one of the others there is nothing that an order of the calls could be held to. */
  boolean isOrdered() {
    return isPromised(Rule.LINEARIZABLE) && RULES_WITH_WEAKER_FORM.containsAll(notPromised);
  }

  /** Somebody set the store's clock: nothing is known of how long anything lasts. */
  boolean isTimeless() {
    return !isPromised(Rule.LEASE_RESPECTED);
  }

  /**
   * How long after an operation has ended somebody may be told that it runs. A cache's mark: the
   * database's reply may have been under way for as long as the lease, the put for as long as a put
   * may be, and then it stays for its time.
   */
  Duration staleBusy() {
    return isPromised(Rule.BUSY_ENDS) ? Duration.ZERO : lease.plus(LATEST_PUT).plus(BUSY_FOR);
  }

  /** Whether a cache that could not be told of a release may go on giving the answer. */
  boolean releasedMayStay() {
    return !isPromised(Rule.RELEASED_IS_GONE);
  }

  /** How long after its retention an answer may be given: a cache's put that was under way. */
  Duration staleExpired(String key) {
    return Keys.mayExpire(key) && releasedMayStay() ? LATEST_PUT : Duration.ZERO;
  }

  /** The earliest end of what began then and lasts so long. */
  long earliestEnd(long began, Duration length) {
    return isTimeless() ? began : began + length.minus(CLOCK_ERROR).toNanos();
  }

  /** The latest. */
  long latestEnd(long began, Duration length) {
    return isTimeless() || began == Long.MAX_VALUE
        ? Long.MAX_VALUE
        : began + length.plus(CLOCK_ERROR).toNanos();
  }
}
