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

/** What all event loops of a gateway share. */
final class Shared {

  /** What can change while the gateway runs. */
  record Live(Routes routes, ScopeRule scopes, Rules rules, Cors cors, ClientFields clientFields) {

    Verdict look(RequestHead head) {
      return rules.look(head, routes.strict().match(head), () -> scopes.caller(head));
    }
  }

  private final Once once;
  private final HeldBytes held;
  private final ReplayRoom replays;
  private final AtomicInteger running = new AtomicInteger();
  private final CompletableFuture<Void> idle = new CompletableFuture<>();
  private volatile Live live;
  private volatile boolean stopping;

  Shared(Once once, HeldBytes held, Live live) {
    this.once = once;
    this.held = held;
    this.replays = new ReplayRoom(held);
    this.live = live;
  }

  Once once() {
    return once;
  }

  HeldBytes held() {
    return held;
  }

  ReplayRoom replays() {
    return replays;
  }

  Live live() {
    return live;
  }

  void change(Live changed) {
    live = changed;
  }

  void started() {
    running.incrementAndGet();
  }

  void ended() {
    if (running.decrementAndGet() == 0 && stopping) {
      idle.complete(null);
    }
  }

  boolean isStopping() {
    return stopping;
  }

  /** Ends with the last execution that runs now. */
  CompletionStage<Void> stop() {
    stopping = true;
    if (running.get() == 0) {
      idle.complete(null);
    }
    return idle;
  }
}
