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
  record StoredValue(CachePut put, long until) {}

  /** What the cache knows of a key, also from puts whose value is gone. Snapshots have it too. */
  static final class KeyState {
    /** When the last put of an end was asked for, and until when the cache remembers that. */
    long endAskedAt = -1;

    long endUntil;

    /** The highest fence that a person released, as far as the cache was told. */
    long released;

    @Nullable StoredValue value;

    KeyState copy() {
      KeyState copy = new KeyState();
      copy.endAskedAt = endAskedAt;
      copy.endUntil = endUntil;
      copy.released = released;
      copy.value = value;
      return copy;
    }
  }

  private static final int MAX_SNAPSHOTS = 4;

  private final History history;
  private final Mutant mutant;
  final StoreClock clock;
  private Map<OperationId, KeyState> keys = new HashMap<>();
  private final Deque<Map<OperationId, KeyState>> snapshots = new ArrayDeque<>();
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

  KeyState keyState(OperationId id) {
    return keys.computeIfAbsent(id, ignored -> new KeyState());
  }

  /** The value that is there now. */
  @Nullable StoredValue get(OperationId id) {
    KeyState of = keys.get(id);
    StoredValue value = of == null ? null : of.value;
    return value == null || value.until <= clock.millis() ? null : value;
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
      throw new ConnectionLostException("cache is full");
    }
    KeyState of = keyState(put.id());
    long until = now + put.life().toMillis() - underWay;
    if (put.value().rank().compareTo(Rank.BUSY) > 0 && put.askedAt() > of.endAskedAt) {
      of.endAskedAt = put.askedAt();
      of.endUntil = until;
    }
    of.released = Math.max(of.released, put.releases());
    StoredValue existing = get(put.id());
    if (existing == null
        || mutant == Mutant.CACHE_IGNORES_RANKS
        || !outranks(existing, put, until)) {
      of.value = new StoredValue(put, until);
    }
    return now;
  }

  /** Whether this put would bring an answer back that a person has released. */
  boolean isKeptOutByRelease(CachePut put) {
    StoredValue existing = get(put.id());
    return put.value().rank() == Rank.FINISHED
        && existing != null
        && existing.put.value().rank() == Rank.RELEASED;
  }

  private static boolean outranks(StoredValue existing, CachePut put, long until) {
    int higher = existing.put.value().rank().compareTo(put.value().rank());
    return higher > 0 || (higher == 0 && existing.until >= until);
  }

  // Its faults.

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
    keys.clear();
    history.add("cache", "emptied", "");
  }

  /** Keeps a copy of what is there: a snapshot, or a replica that lags. */
  void saveSnapshot() {
    snapshots.addLast(copy(keys));
    if (snapshots.size() > MAX_SNAPSHOTS) {
      snapshots.removeFirst();
    }
  }

  void rollBack() {
    if (!snapshots.isEmpty()) {
      keys = copy(snapshots.getFirst());
      history.add("cache", "old data", "");
    }
  }

  private static Map<OperationId, KeyState> copy(Map<OperationId, KeyState> of) {
    Map<OperationId, KeyState> copy = new HashMap<>();
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
