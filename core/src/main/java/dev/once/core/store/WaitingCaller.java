package dev.once.core.store;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A caller that waits for the reply on the thread that calls. A store blocks nobody; but whoever
 * would do nothing else meanwhile can as well take the step itself, and a lone caller has its reply
 * sooner if no other thread has to be woken for it.
 *
 * <p>The word is given to the first store that takes it, for one step: what the reply sets off, and
 * what else happens to run on the thread, is not meant.
 */
public final class WaitingCaller {

  private static final ThreadLocal<@Nullable Duration> LONGEST = new ThreadLocal<>();

  private WaitingCaller() {}

  /**
   * Calls, and waits for the reply.
   *
   * @param longest how long the thread may be used for a step
   * @throws java.util.concurrent.CompletionException if the stage fails
   */
  public static <T> T await(Duration longest, Supplier<? extends CompletionStage<T>> call) {
    CompletionStage<T> reply;
    LONGEST.set(longest);
    try {
      reply = call.get();
    } finally {
      LONGEST.set(null);
    }
    return reply.toCompletableFuture().join();
  }

  /**
   * For a store: how long it may use this thread for the step that it was just called for; null if
   * not at all.
   */
  public static @Nullable Duration take() {
    Duration longest = LONGEST.get();
    if (longest != null) {
      LONGEST.set(null);
    }
    return longest;
  }
}
