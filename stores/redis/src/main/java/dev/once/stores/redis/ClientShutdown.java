package dev.once.stores.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.concurrent.Future;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Ends clients and their threads, waiting no longer than it takes. */
final class ClientShutdown {

  private static final int AT_MOST_SECONDS = 5;

  private ClientShutdown() {}

  static void now(AbstractRedisClient client) {
    await(client.shutdownAsync(0, AT_MOST_SECONDS, TimeUnit.SECONDS));
  }

  static void now(ClientResources resources) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    Future<Boolean> ending = resources.shutdown(0, AT_MOST_SECONDS, TimeUnit.SECONDS);
    ending.addListener(any -> ended.complete(null));
    await(ended);
  }

  private static void await(CompletableFuture<?> ending) {
    try {
      ending.get(AT_MOST_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // It ends later, or has ended in its own way: nobody waits for it any more.
    }
  }
}
