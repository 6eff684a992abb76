package dev.once.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.OperationRecord;
import dev.once.core.store.Store;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Load, faults and a verdict: clients ask for ever more operations until they are told to finish,
 * and then each of them until it has an answer to all.
 */
final class Run implements AutoCloseable {

  /** How the names of engines in this process begin. */
  static final String HERE = "here";

  /** Where histories are written that break a rule. */
  private static final Path HISTORIES = Path.of("target", "histories");

  private final String name;
  private final Plan plan;
  private final History history = new History();
  private final List<Engine> engines = new ArrayList<>();
  private final List<ClientProcess> processes = new ArrayList<>();

  Run(String name, Plan plan) {
    this.name = name;
    this.plan = plan;
  }

  History history() {
    return history;
  }

  /** An engine in this process. */
  Run engine(Store store) {
    Engine engine = new Engine(HERE + engines.size(), store, plan, history);
    engines.add(engine);
    engine.start(0);
    return this;
  }

  /** An engine in a process of its own, which can be killed and paused. */
  ClientProcess process(String url) {
    return process(url, 0);
  }

  /** One that asks for no keys before this one. */
  ClientProcess process(String url, int first) {
    ClientProcess process =
        ClientProcess.start("there" + processes.size(), url, plan, first, history);
    processes.add(process);
    return process;
  }

  /** One with other libraries, which asks for no keys before this one. */
  ClientProcess process(String url, int first, String classPath) {
    ClientProcess process =
        ClientProcess.start("there" + processes.size(), url, plan, first, history, classPath);
    processes.add(process);
    return process;
  }

  /** Waits until clients were given this many more answers. */
  void awaitAnswers(int more) {
    long enough = history.answers() + more;
    Eventually.until(
        () -> more + " more answers; last refusals: " + lastRefusals(),
        () -> {
          checkAlive();
          return history.answers() >= enough;
        });
  }

  /**
   * Waits until this many more calls were refused because the store failed: the fault has an
   * effect.
   */
  void awaitRefusals(int more) {
    long enough = history.storeRefusals() + more;
    Eventually.until(
        () -> more + " more refusals",
        () -> {
          checkAlive();
          return history.storeRefusals() >= enough;
        });
  }

  /** Waits until handlers run in a process: what happens to it now, happens to them. */
  void awaitHandlers(ClientProcess process) {
    Eventually.until(
        () -> "handlers of " + process + ", which said " + history.lastOf(process.name()),
        () -> {
          checkAlive();
          return history.inFlight(process.name()) >= 1;
        });
  }

  boolean isBusyForLong(ClientProcess process) {
    return history.hasSlowInFlight(process.name());
  }

  private void checkAlive() {
    if (history.failure() != null) {
      throw new AssertionError("a client gave up: " + history.failure());
    }
    processes.forEach(ClientProcess::checkAlive);
    engines.forEach(Engine::isDone);
  }

  private Set<String> lastRefusals() {
    return history.byKey().values().stream()
        .map(events -> events.get(events.size() - 1))
        .filter(event -> event.kind() == Event.Kind.REFUSED || event.kind() == Event.Kind.FAILED)
        .map(event -> event.key() + " " + event.text())
        .limit(10)
        .collect(Collectors.toSet());
  }

  /** Lets all clients get as far as the first of them, and end what they began. */
  void finish() {
    finish(history.last());
  }

  /** Lets all clients end what they began: after a storm, some are thousands of keys behind. */
  void finishWhereTheyAre() {
    finish(0);
  }

  private void finish(int last) {
    engines.forEach(engine -> engine.finish(last));
    processes.forEach(process -> process.finish(last));
    Eventually.until(
        () -> "clients to end; without an answer: " + lastRefusals(),
        () ->
            engines.stream().allMatch(Engine::isDone)
                && processes.stream().allMatch(ClientProcess::isDone),
        history::answers);
  }

  /** Fails if the history, with what the store has now, breaks a rule. */
  void check(Supplier<Store> opened) {
    check(opened, Set.of());
  }

  /**
   * @param notPromised rules that this fault may break
   */
  void check(Supplier<Store> opened, Set<Rule> notPromised) {
    FinalState finalState = readFinalState(opened);
    List<Violation> violations = violations(finalState, notPromised);
    if (!violations.isEmpty()) {
      System.out.println(HistoryFile.write(HISTORIES, name, history, finalState));
    }
    assertThat(violations)
        .as(() -> violations.isEmpty() ? "" : "history:\n" + history.of(violations.get(0).key()))
        .isEmpty();
    assertThat(history.count(Event.Kind.EXECUTED)).as("recorded answers").isPositive();
    assertThat(history.count(Event.Kind.REPLAYED)).as("replays").isPositive();
  }

  /** The rules that were broken. Prints a summary of the run. */
  List<Violation> violations(Supplier<Store> opened) {
    return violations(readFinalState(opened), Set.of());
  }

  private List<Violation> violations(FinalState finalState, Set<Rule> notPromised) {
    Promises promises = new Promises(plan.lease(), notPromised);
    List<Violation> violations = new Checker(history, finalState, promises).violations();
    System.out.printf(
        "%s: %d keys, %d runs (%d again), %d recorded, %d replays, %d refusals%s%n",
        name,
        history.byKey().size(),
        history.count(Event.Kind.RAN),
        history.runsAgain(),
        history.count(Event.Kind.EXECUTED),
        history.count(Event.Kind.REPLAYED),
        history.count(Event.Kind.REFUSED),
        violations.isEmpty() ? "" : ", broken rules: " + byRule(violations));
    return violations;
  }

  private FinalState readFinalState(Supplier<Store> opened) {
    Map<String, FinalRecord> kept = new HashMap<>();
    try (Store store = opened.get()) {
      awaitWithdrawals(store);
      long from = System.nanoTime();
      for (String key : history.byKey().keySet()) {
        find(store, key).ifPresent(record -> kept.put(key, kept(record)));
      }
      return new FinalState(kept, from, System.nanoTime());
    }
  }

  /** The engines here withdraw what nobody runs, unless they do not: then the checker says so. */
  private void awaitWithdrawals(Store store) {
    long deadline = System.nanoTime() + Processes.WITHDRAWN_WITHIN.toNanos();
    Set<String> locked = new TreeSet<>(history.inDoubtOnlyHere());
    locked.removeIf(key -> !isLocked(store, key));
    while (!locked.isEmpty() && System.nanoTime() - deadline <= 0) {
      Eventually.letTimePass(Duration.ofMillis(50));
      locked.removeIf(key -> !isLocked(store, key));
    }
  }

  private boolean isLocked(Store store, String key) {
    return find(store, key)
        .filter(record -> record.answer() == null)
        .filter(record -> !history.ran(key, record.lease().fence().value()))
        .isPresent();
  }

  private static Map<String, Long> byRule(List<Violation> violations) {
    return violations.stream()
        .collect(Collectors.groupingBy(v -> v.rule().name(), TreeMap::new, Collectors.counting()));
  }

  private static Optional<OperationRecord> find(Store store, String key) {
    return store
        .inspection()
        .find(Keys.id(key))
        .toCompletableFuture()
        .orTimeout(Eventually.TIMEOUT.toSeconds(), TimeUnit.SECONDS)
        .join();
  }

  private static FinalRecord kept(OperationRecord record) {
    String answer = record.answer() == null ? null : Keys.text(record.answer());
    return new FinalRecord(record.lease().fence().value(), answer);
  }

  /** Longer than a lease, whoever began it. */
  Duration pastTheLease() {
    return plan.lease().plus(plan.lease().dividedBy(2));
  }

  @Override
  public void close() {
    engines.forEach(Engine::close);
    processes.forEach(ClientProcess::close);
  }
}
