package dev.once.stores.tiered;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.once.core.OperationId;
import dev.once.core.spi.Scheduler;
import dev.once.core.store.Cache;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cache behind a time limit and a circuit breaker: it never fails, never takes longer than its
 * timeout, and is not asked for a while if it keeps failing.
 */
final class GuardedCache implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(TieredStore.class);

  private static final int WINDOW = 20;
  private static final int FAILURES_PERCENT = 50;
  private static final int TRIES_AFTER_REST = 3;

  /** What a person does is worth a longer wait, and is tried whether the cache rests or not. */
  private static final Duration TIMEOUT_FOR_PEOPLE = Duration.ofSeconds(1);

  private final Cache cache;
  private final TieredSettings settings;
  private final CircuitBreaker breaker;

  private final Scheduler scheduler;

  GuardedCache(Cache cache, TieredSettings settings, Scheduler scheduler) {
    this.cache = cache;
    this.settings = settings;
    this.scheduler = scheduler;
    this.breaker =
        CircuitBreaker.of(
            "once-cache",
            CircuitBreakerConfig.custom()
                .slidingWindowType(SlidingWindowType.COUNT_BASED)
                .slidingWindowSize(WINDOW)
                .minimumNumberOfCalls(WINDOW / 2)
                .failureRateThreshold(FAILURES_PERCENT)
                .permittedNumberOfCallsInHalfOpenState(TRIES_AFTER_REST)
                .waitDurationInOpenState(settings.restAfterFailures())
                .clock(new ElapsedClock(scheduler))
                .currentTimestampFunction(clock -> scheduler.nanoTime(), TimeUnit.NANOSECONDS)
                .build());
  }

  /** What the cache has; empty also if it does not say. */
  CompletableFuture<Optional<CacheEntry>> get(OperationId id) {
    if (!breaker.tryAcquirePermission()) {
      tellFallback();
      return completedFuture(Optional.empty());
    }
    return throughBreaker(() -> cache.get(id))
        .handle(
            (value, failure) -> {
              if (failure != null || value == null) {
                tellFallback();
                return Optional.empty();
              }
              return value.flatMap(CacheEntry::decode);
            });
  }

  private void tellFallback() {
    try {
      settings.onFallback().run();
    } catch (Throwable e) { // whoever counts does not decide
      log.error("onFallback failed", e);
    }
  }

  /** Ends when the cache has it, or cannot be waited for any longer; the stage never fails. */
  CompletableFuture<Boolean> put(OperationId id, CacheEntry entry, Duration life) {
    Duration most = life.compareTo(settings.longestStay()) < 0 ? life : settings.longestStay();
    if (most.toMillis() < 1 || !breaker.tryAcquirePermission()) {
      return completedFuture(false);
    }
    return throughBreaker(() -> cache.put(id, entry.encoded(), most))
        .handle((done, failure) -> failure == null);
  }

  /** {@link #put} of what a person wants. */
  CompletableFuture<Boolean> putForPerson(OperationId id, CacheEntry entry, Duration life) {
    return limited(() -> cache.put(id, entry.encoded(), life), TIMEOUT_FOR_PEOPLE)
        .handle((done, failure) -> failure == null);
  }

  private <T> CompletableFuture<T> throughBreaker(Supplier<CompletionStage<T>> step) {
    long start = breaker.getCurrentTimestamp();
    return limited(step, settings.timeout())
        .whenComplete(
            (value, failure) -> {
              long taken = breaker.getCurrentTimestamp() - start;
              CircuitBreaker.State before = breaker.getState();
              if (failure == null) {
                breaker.onSuccess(taken, breaker.getTimestampUnit());
              } else {
                breaker.onError(taken, breaker.getTimestampUnit(), failure);
              }
              tell(before, breaker.getState(), failure);
            });
  }

  private void tell(
      CircuitBreaker.State before, CircuitBreaker.State after, @Nullable Throwable failure) {
    if (before != after && after == CircuitBreaker.State.OPEN) {
      log.warn(
          "cache: keeps failing, not asked for {}; the database serves alone: {}",
          settings.restAfterFailures(),
          String.valueOf(failure));
    } else if (before != after && after == CircuitBreaker.State.CLOSED) {
      log.info("cache: back");
    }
  }

  private <T> CompletableFuture<T> limited(Supplier<CompletionStage<T>> step, Duration timeout) {
    CompletableFuture<T> reply;
    try {
      reply = step.get().toCompletableFuture();
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
    if (reply.isDone()) {
      return reply;
    }
    CompletableFuture<T> limited = new CompletableFuture<>();
    Scheduler.Timer timer =
        scheduler.schedule(
            timeout,
            () ->
                limited.completeExceptionally(
                    new TimeoutException("cache: no reply within " + timeout)));
    reply.whenComplete(
        (value, failure) -> {
          timer.cancel();
          if (failure != null) {
            limited.completeExceptionally(failure);
          } else {
            limited.complete(value);
          }
        });
    return limited;
  }

  @Override
  public void close() {
    cache.close();
  }
}
