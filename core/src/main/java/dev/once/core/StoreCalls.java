package dev.once.core;

import dev.once.core.OnceListener.StoreStep;
import dev.once.core.spi.Scheduler;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.Store;
import dev.once.core.store.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store as the engine sees it: each call ends within the time limit, and an exception thrown by a
 * store is a failed stage like any other.
 */
final class StoreCalls {

  /** The store did not reply in time; it may still do what it was asked. */
  static final class NoReplyException extends StoreException {
    private static final long serialVersionUID = 1;

    NoReplyException(Duration timeout) {
      super("store: no reply within " + timeout, null);
    }
  }

  private final Store store;
  private final Duration timeout;
  private final Scheduler scheduler;
  private final OnceListener listener;

  StoreCalls(Settings settings) {
    this.store = settings.store();
    this.timeout = settings.storeTimeout();
    this.scheduler = settings.scheduler();
    this.listener = settings.listener();
  }

  /**
   * @param late gets the reply, or the failure, that came after the time limit
   */
  CompletableFuture<Claim> claim(
      ClaimRequest request, BiConsumer<@Nullable Claim, @Nullable Throwable> late) {
    return call(StoreStep.CLAIM, () -> store.claim(request), late);
  }

  CompletableFuture<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    return call(
        StoreStep.COMPLETE, () -> store.complete(lease, answer, retention), StoreCalls::ignore);
  }

  CompletableFuture<Boolean> release(Lease lease) {
    return call(StoreStep.RELEASE, () -> store.release(lease), StoreCalls::ignore);
  }

  CompletableFuture<Boolean> withdraw(ClaimRequest request) {
    return call(
        StoreStep.WITHDRAW,
        () -> store.withdraw(request.id(), request.token()),
        StoreCalls::ignore);
  }

  CompletableFuture<Boolean> renew(Lease lease, Duration length) {
    return call(StoreStep.RENEW, () -> store.renew(lease, length), StoreCalls::ignore);
  }

  CompletableFuture<Optional<OperationRecord>> find(OperationId id) {
    return call(StoreStep.FIND, () -> store.inspection().find(id), StoreCalls::ignore);
  }

  CompletableFuture<Integer> purgeExpired(int atMost) {
    return call(StoreStep.PURGE, () -> store.purgeExpired(atMost), StoreCalls::ignore);
  }

  private static void ignore(@Nullable Object reply, @Nullable Throwable failure) {}

  private <T> CompletableFuture<T> call(
      StoreStep step,
      Supplier<CompletionStage<T>> call,
      BiConsumer<@Nullable T, @Nullable Throwable> late) {
    long start = scheduler.nanoTime();
    CompletableFuture<T> reply;
    try {
      reply = call.get().toCompletableFuture();
    } catch (Throwable e) {
      return failed(step, start, e);
    }
    if (!reply.isDone()) {
      return limited(step, start, reply, late);
    }
    if (!reply.isCompletedExceptionally()) {
      tell(step, start, null);
      return reply;
    }
    // On the thread of a caller that waits it is the store that keeps the limit.
    Throwable failure = failureOf(reply);
    boolean outOfTime = scheduler.nanoTime() - start >= timeout.toNanos();
    return failed(
        step,
        start,
        outOfTime && !ClaimTries.isReply(failure) ? new NoReplyException(timeout) : failure);
  }

  private <T> CompletableFuture<T> failed(StoreStep step, long start, Throwable failure) {
    tell(step, start, failure);
    return CompletableFuture.failedFuture(failure);
  }

  private void tell(StoreStep step, long start, @Nullable Throwable failure) {
    listener.storeCalled(step, Duration.ofNanos(scheduler.nanoTime() - start), failure);
  }

  private static Throwable failureOf(CompletableFuture<?> failed) {
    return failed.handle((value, failure) -> cause(failure)).join();
  }

  private <T> CompletableFuture<T> limited(
      StoreStep step,
      long start,
      CompletableFuture<T> reply,
      BiConsumer<@Nullable T, @Nullable Throwable> late) {
    CompletableFuture<T> limited = new CompletableFuture<>();
    Scheduler.Timer timer =
        scheduler.schedule(
            timeout, () -> limited.completeExceptionally(new NoReplyException(timeout)));
    reply.whenComplete(
        (value, failure) -> {
          timer.cancel();
          boolean inTime =
              failure == null ? limited.complete(value) : limited.completeExceptionally(failure);
          if (!inTime) {
            late.accept(value, failure);
          }
        });
    return limited.whenComplete(
        (value, failure) -> tell(step, start, failure == null ? null : cause(failure)));
  }

  /** The failure itself, without the wrapping that dependent stages add. */
  static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
