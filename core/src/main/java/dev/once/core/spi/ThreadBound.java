package dev.once.core.spi;

import dev.once.core.Execution;

/** An execution that belongs to the thread that began it, such as one in a transaction. */
public interface ThreadBound extends Execution {

  /** Detaches the execution from this thread. The thread that ends it takes it over. */
  void leaveThread();
}
