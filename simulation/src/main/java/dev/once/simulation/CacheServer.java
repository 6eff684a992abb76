package dev.once.simulation;

import dev.once.core.OperationId;
import dev.once.core.store.Cache;
import dev.once.simulation.CacheValue.Rank;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The cache's side of the network: what the script of {@code RedisCache} does, on a clock of its
 * own. It can be lost, emptied, put back to an old state, full, and cut off from some nodes.
 */
final class CacheServer {

  /**
   * A value that is there.
   *
   * @param until by the cache's clock, in milliseconds
   */
  record Kept(CachePut put, long until) {}

  /** What was told of an operation and has arrived: it goes and comes back with the values. */
  static final class Known {
    /** When the last end was asked for that it was told of, and until when it remembers that. */
    long endAskedAt = -1;

    long endUntil;

    /** The highest fence that it knows to be released by a person. */
    long released;

    @Nullable Kept kept;

    Known copy() {
      Known copy = new Known();
      copy.endAskedAt = endAskedAt;
      copy.endUntil = endUntil;
      copy.released = released;
      copy.kept = kept;
      return copy;
    }
  }

  private static final int MAX_STATES = 4;

  private final History history;
  private final Mutant mutant;
  final StoreClock clock;
  private Map<OperationId, Known> known = new HashMap<>();
  private final Deque<Map<OperationId, Known>> states = new ArrayDeque<>();
  private final Set<Integer> cutOff = new HashSet<>();
  private boolean down;
  private boolean full;

  CacheServer(EventQueue queue, History history, Mutant mutant) {
    this.history = history;
    this.mutant = mutant;
    this.clock = new StoreClock(queue);
  }

  boolean isReachedBy(int node) {
    return !down && !cutOff.contains(node);
  }

  boolean isFull() {
    return full;
  }

  Known known(OperationId id) {
    return known.computeIfAbsent(id, ignored -> new Known());
  }

  /** The value that is there now. */
  @Nullable Kept get(OperationId id) {
    Known of = known.get(id);
    Kept kept = of == null ? null : of.kept;
    return kept == null || kept.until <= clock.millis() ? null : kept;
  }

  /**
   * Takes a put, unless it comes too late. Its life begins when it was asked for.
   *
   * @param asked by the cache's clock, in milliseconds, as the process knows it
   * @return the cache's clock; below 0 if it came too late
   */
  long put(CachePut put, long asked) {
    long now = clock.millis();
    boolean takesAll = mutant == Mutant.CACHE_TAKES_LATE_PUTS;
    long underWay = takesAll ? 0 : Math.max(0, now - asked);
    if (underWay > Cache.LATEST.toMillis() || underWay >= put.life().toMillis()) {
      return -now;
    }
    if (full && !put.value().isMark()) {
      throw new LostException("cache is full");
    }
    Known of = known(put.id());
    long until = now + put.life().toMillis() - underWay;
    if (put.value().rank().compareTo(Rank.BUSY) > 0 && put.askedAt() > of.endAskedAt) {
      of.endAskedAt = put.askedAt();
      of.endUntil = until;
    }
    of.released = Math.max(of.released, put.releases());
    Kept there = get(put.id());
    if (there == null || mutant == Mutant.CACHE_IGNORES_RANKS || !stays(there, put, until)) {
      of.kept = new Kept(put, until);
    }
    return now;
  }

  /** Whether this put would bring an answer back that a person has released. */
  boolean isHeldOff(CachePut put) {
    Kept there = get(put.id());
    return put.value().rank() == Rank.FINISHED
        && there != null
        && there.put.value().rank() == Rank.RELEASED;
  }

  private static boolean stays(Kept there, CachePut put, long until) {
    int higher = there.put.value().rank().compareTo(put.value().rank());
    return higher > 0 || (higher == 0 && there.until >= until);
  }

  // What befalls it.

  void setDown(boolean down) {
    this.down = down;
    history.add("cache", down ? "down" : "up", "");
  }

  /** Answers are refused, marks are taken. */
  void setFull(boolean full) {
    this.full = full;
    history.add("cache", full ? "full" : "room", "");
  }

  void cutOff(int node, boolean cut) {
    if (cut) {
      cutOff.add(node);
    } else {
      cutOff.remove(node);
    }
    history.add("cache", cut ? "cut off" : "reached", "n" + node);
  }

  void empty() {
    known.clear();
    history.add("cache", "emptied", "");
  }

  /** Remembers what is there: a snapshot, or a replica that lags. */
  void remember() {
    states.addLast(copy(known));
    if (states.size() > MAX_STATES) {
      states.removeFirst();
    }
  }

  void rollBack() {
    if (!states.isEmpty()) {
      known = copy(states.getFirst());
      history.add("cache", "old data", "");
    }
  }

  private static Map<OperationId, Known> copy(Map<OperationId, Known> of) {
    Map<OperationId, Known> copy = new HashMap<>();
    of.forEach((id, it) -> copy.put(id, it.copy()));
    return copy;
  }

  void jump(long millis) {
    clock.jump(millis);
    history.add("cache", "clock", "jumps by " + millis + " ms");
  }

  void heal() {
    down = false;
    full = false;
    cutOff.clear();
  }
}
