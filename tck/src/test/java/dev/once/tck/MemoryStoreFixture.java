package dev.once.tck;

import dev.once.core.store.MemoryStore;
import dev.once.core.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/** A memory store whose clock stands still until it is told to go on. */
class MemoryStoreFixture implements StoreFixture {

  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
  private final InstantSource clock = now::get;
  private final Store memory = new MemoryStore(clock, 100_000, 256 * 1024 * 1024);

  /** The memory store, also where {@link #store} is something in front of it. */
  Store memory() {
    return memory;
  }

  InstantSource clock() {
    return clock;
  }

  @Override
  public Store store() {
    return memory;
  }

  @Override
  public Store another() {
    throw new UnsupportedOperationException("a memory store is not shared");
  }

  @Override
  public Store reopened() {
    throw new UnsupportedOperationException("a memory store is not durable");
  }

  @Override
  public void timePasses(Duration duration) {
    now.updateAndGet(instant -> instant.plus(duration));
  }

  @Override
  public void close() {
    memory.close();
  }
}
