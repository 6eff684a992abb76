package dev.once.faults;

import dev.once.core.Once;
import dev.once.core.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** An engine on a store handle of its own, with its clients. */
final class Engine implements AutoCloseable {

  private final String process;
  private final Plan plan;
  private final Consumer<Event> history;
  private final Store store;
  private final Once once;
  private final List<Thread> clients = new ArrayList<>();
  private final AtomicInteger lastKey = new AtomicInteger(Integer.MAX_VALUE);
  private volatile Throwable clientFailure;

  /**
   * @param process its name in the history
   * @param history told of every event, before what follows it can happen
   */
  Engine(String process, Store store, Plan plan, Consumer<Event> history) {
    this.process = process;
    this.plan = plan;
    this.history = history;
    this.store = store;
    this.once = Once.builder(store).storeTimeout(plan.storeTimeout()).build();
  }

  /** Its clients ask for the keys from this one on. */
  void start(int first) {
    for (int i = 0; i < plan.clients(); i++) {
      Client client =
          new Client(
              process + "/" + i,
              process,
              once,
              store.inspection(),
              plan,
              history,
              first,
              lastKey::get);
      Thread thread = new Thread(client, client.name());
      thread.setUncaughtExceptionHandler((any, e) -> clientFailure = e);
      thread.setDaemon(true);
      clients.add(thread);
      thread.start();
    }
  }

  /** Begins no key with a higher number than this. */
  void finish(int number) {
    lastKey.set(number);
  }

  boolean isDone() {
    if (clientFailure != null) {
      throw new AssertionError("a client of " + process + " died", clientFailure);
    }
    return clients.stream().noneMatch(Thread::isAlive);
  }

  @Override
  public void close() {
    clients.forEach(Thread::interrupt);
    once.close();
    store.close();
  }
}
