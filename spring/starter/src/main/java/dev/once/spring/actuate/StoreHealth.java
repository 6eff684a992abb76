package dev.once.spring.actuate;

import dev.once.core.Key;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import dev.once.core.store.Store;
import dev.once.core.store.StoreCapabilities;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Checks by one round trip whether the store answers: it reads a key that is never used. */
final class StoreHealth {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private static final OperationId NOBODYS =
      new OperationId(new Scope("", "", "health"), Key.of("health"));

  private final Store store;

  StoreHealth(Store store) {
    this.store = store;
  }

  /** Why it does not answer; null if it does. */
  @Nullable Throwable failure() {
    try {
      await(store.inspection().find(NOBODYS));
      return null;
    } catch (RuntimeException e) {
      return e;
    }
  }

  Map<String, Object> details() {
    StoreCapabilities can = store.capabilities();
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("store", store.getClass().getSimpleName());
    details.put("durable", can.durable());
    details.put("shared", can.shared());
    return details;
  }

  /** What the store replies; its failure, without the wrapping, if it has none. */
  static <T> T await(CompletionStage<T> reply) {
    try {
      return reply.toCompletableFuture().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException("store: failed", e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("store: no reply within " + TIMEOUT, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("store: interrupted while waiting for it", e);
    }
  }
}
