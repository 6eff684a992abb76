package dev.once.simulation;

import java.util.ArrayDeque;
import java.util.Deque;

/** How to undo what the store did of late, for a store that loses its last writes. */
final class UndoLog {

  private record Entry(long nanos, Runnable undo) {}

  private final EventQueue queue;
  private final Deque<Entry> entries = new ArrayDeque<>();

  UndoLog(EventQueue queue) {
    this.queue = queue;
  }

  void add(Runnable undo) {
    entries.push(new Entry(queue.now(), undo));
  }

  void undoSince(long nanos) {
    while (!entries.isEmpty() && entries.peek().nanos > nanos) {
      entries.pop().undo.run();
    }
  }
}
