package dev.once.core.store.spi;

import dev.once.core.store.WaitInterruptedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets a caller that would only wait for a reply lend its thread to the store. A store never blocks
 * its callers. But a caller that waits anyway can take the step on its own thread, and a single
 * caller gets its reply sooner if no other thread has to be woken.
 *
 * <p>The thread is lent to the first store that takes it, for one step. Callbacks of the reply, and
 * other code that happens to run on the thread, do not get it.
 */
public final class WaitingCaller {

  private static final ThreadLocal<@Nullable Duration> LONGEST = new ThreadLocal<>();

  private WaitingCaller() {}

  /**
   * Calls, and waits for the reply. An interrupt that comes meanwhile ends the wait; one that came
   * before does not, and is kept for whoever looks for it next.
   *
   * @param longest how long the thread may be used for a step
   * @param unwanted receives a reply that comes after the caller was interrupted
   * @throws java.util.concurrent.CompletionException if the stage fails
   * @throws WaitInterruptedException if the thread is interrupted
   */
  public static <T> T await(
      Duration longest, Supplier<? extends CompletionStage<T>> call, Consumer<? super T> unwanted) {
    boolean interrupted = Thread.interrupted();
    try {
      return waitFor(called(longest, call), unwanted);
    } catch (WaitInterruptedException e) {
      interrupted = true;
      throw e;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** {@link #await(Duration, Supplier, Consumer)}, where a reply that nobody hears does no harm. */
  public static <T> T await(Duration longest, Supplier<? extends CompletionStage<T>> call) {
    return await(longest, call, unwanted -> {});
  }

  private static <T> T waitFor(CompletableFuture<T> reply, Consumer<? super T> unwanted) {
    try {
      return reply.get();
    } catch (ExecutionException e) {
      throw new CompletionException(e.getCause());
    } catch (InterruptedException e) {
      reply.thenAccept(unwanted);
      throw new WaitInterruptedException(e);
    }
  }

  private static <T> CompletableFuture<T> called(
      Duration longest, Supplier<? extends CompletionStage<T>> call) {
    LONGEST.set(longest);
    try {
      return call.get().toCompletableFuture();
    } finally {
      LONGEST.set(null);
    }
  }

  /**
   * For a store: how long it may use this thread for the step that it was just called for; null if
   * not at all.
   */
  public static @Nullable Duration takeCallerThread() {
    Duration longest = LONGEST.get();
    if (longest != null) {
      LONGEST.set(null);
    }
    return longest;
  }
}
