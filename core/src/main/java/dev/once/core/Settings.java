package dev.once.core;

import dev.once.core.spi.Scheduler;
import dev.once.core.store.Store;
import java.time.Duration;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/** What an engine is built from. */
record Settings(
    Store store,
    Scheduler scheduler,
    RandomGenerator random,
    Duration storeTimeout,
    Duration recordTimeout,
    int maxWaiters,
    OnceListener listener,
    Function<Throwable, Answer> failureAnswer) {

  /** The duration, or up to half less: so that those who failed together do not retry together. */
  Duration jitter(Duration duration) {
    return Duration.ofNanos((long) (duration.toNanos() * (1 - random.nextDouble() / 2)));
  }
}
