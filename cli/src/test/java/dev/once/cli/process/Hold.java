package dev.once.cli.process;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** Keeps one execution of the upstream from answering until it is let go. */
final class Hold {

  private final Predicate<Execution> which;
  private final CompletableFuture<Execution> arrived = new CompletableFuture<>();
  private final CompletableFuture<Void> released = new CompletableFuture<>();

  Hold(Predicate<Execution> which) {
    this.which = which;
  }

  boolean catches(Execution execution) {
    return which.test(execution) && arrived.complete(execution);
  }

  /** Waits until it has caught one: from then on the upstream is at work. */
  Execution awaitArrival() throws Exception {
    return arrived.get(Eventually.TIMEOUT.toSeconds(), SECONDS);
  }

  /** The upstream answers now. */
  void release() {
    released.complete(null);
  }

  CompletableFuture<Void> released() {
    return released;
  }
}
