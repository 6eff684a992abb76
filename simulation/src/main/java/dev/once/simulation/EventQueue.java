package dev.once.simulation;

import java.util.PriorityQueue;

/**
 * Virtual time, and all that is to happen in it. Events of the same time happen in the order in
 * which they were added, so that nothing depends on anything but the seed.
 */
final class EventQueue {

  /** Something to come. */
  static final class Event implements Comparable<Event> {
    private final long at;
    private final long order;
    private final Runnable action;
    private boolean cancelled;

    private Event(long at, long order, Runnable action) {
      this.at = at;
      this.order = order;
      this.action = action;
    }

    void cancel() {
      cancelled = true;
    }

    boolean isCancelled() {
      return cancelled;
    }

    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long now;
  private long added;
  private int happened;

  long now() {
    return now;
  }

  /** How many events have happened so far. */
  int happened() {
    return happened;
  }

  Event after(long nanos, Runnable action) {
    Event event = new Event(now + Math.max(nanos, 0), added++, action);
    events.add(event);
    return event;
  }

  /**
   * Lets happen what is due until then.
   *
   * @return false if that was more than so many events: something goes round in circles
   */
  boolean runUntil(long end, int atMostEvents) {
    int limit = happened + atMostEvents;
    while (true) {
      Event next = events.peek();
      if (next == null || next.at > end) {
        now = Math.max(now, end);
        return true;
      }
      events.remove();
      if (next.cancelled) {
        continue;
      }
      if (happened == limit) {
        return false;
      }
      happened++;
      now = next.at;
      next.action.run();
    }
  }
}
