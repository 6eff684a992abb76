package dev.once.http.gateway;

import dev.once.core.Once;
import dev.once.http.semantics.RequestHead;
import dev.once.http.semantics.Routes;
import dev.once.http.semantics.Rules;
import dev.once.http.semantics.ScopeRule;
import dev.once.http.semantics.Verdict;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** The state that all event loops of a gateway share. */
final class GatewayState {

  /** What can change while the gateway runs. */
  record ReloadableSettings(
      Routes routes, ScopeRule scopes, Rules rules, Cors cors, ClientFields clientFields) {

    Verdict evaluate(RequestHead head) {
      return rules.evaluate(head, routes.strict().match(head), () -> scopes.caller(head));
    }
  }

  private final Once once;
  private final HeldBytes heldBytes;
  private final ReplayMemory replayMemory;
  private final AtomicInteger running = new AtomicInteger();
  private final CompletableFuture<Void> drained = new CompletableFuture<>();
  private volatile ReloadableSettings settings;
  private volatile boolean stopping;

  GatewayState(Once once, HeldBytes heldBytes, ReloadableSettings settings) {
    this.once = once;
    this.heldBytes = heldBytes;
    this.replayMemory = new ReplayMemory(heldBytes);
    this.settings = settings;
  }

  Once once() {
    return once;
  }

  HeldBytes heldBytes() {
    return heldBytes;
  }

  ReplayMemory replayMemory() {
    return replayMemory;
  }

  ReloadableSettings settings() {
    return settings;
  }

  void reload(ReloadableSettings changed) {
    settings = changed;
  }

  void executionStarted() {
    running.incrementAndGet();
  }

  void executionEnded() {
    if (running.decrementAndGet() == 0 && stopping) {
      drained.complete(null);
    }
  }

  boolean isStopping() {
    return stopping;
  }

  /** Ends with the last execution that runs now. */
  CompletionStage<Void> stop() {
    stopping = true;
    if (running.get() == 0) {
      drained.complete(null);
    }
    return drained;
  }
}
