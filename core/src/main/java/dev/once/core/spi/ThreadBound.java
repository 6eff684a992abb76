package dev.once.core.spi;

import dev.once.core.Execution;

/** An execution that belongs to the thread that began it, such as one in a transaction. */
public interface ThreadBound extends Execution {

  /** Takes it from this thread, of which nothing of it stays. Whoever ends it takes it over. */
  void leaveThread();
}
