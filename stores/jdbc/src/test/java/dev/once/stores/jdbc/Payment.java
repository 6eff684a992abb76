package dev.once.stores.jdbc;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Body;
import dev.once.core.Execution;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Scope;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that makes one payment and stops at a step, to be killed there or told to go on. It
 * prints the step, and its result.
 */
final class Payment {

  /** Where a payment can be caught, in order. */
  enum Step {
    CLAIM_BEFORE_COMMIT,
    CLAIM_COMMITTED,
    HANDLER_BEGUN,
    HANDLER_DONE,
    ANSWER_BEFORE_COMMIT,
    ANSWER_COMMITTED,
    ANSWERED
  }

  static final Operation OPERATION =
      Operation.of(
          new Scope("acme", "alice", ""),
          Key.of("550e8400-e29b-41d4-a716-446655440000"),
          Fingerprint.of("POST", "/payments", "{\"amount\":10}"),
          Policy.DEFAULT);

  static final Answer PAID = Answer.success(201, Body.of("paid by the first process"));

  private final Step stopAt;
  private final boolean goOn;

  private Payment(Step stopAt, boolean goOn) {
    this.stopAt = stopAt;
    this.goOn = goOn;
  }

  /** Arguments: the file, the step to stop at, the lease, and whether to go on after a line. */
  public static void main(String[] arguments) throws Exception {
    Step step = Step.valueOf(arguments[1]);
    Duration lease = Duration.parse(arguments[2]);
    new Payment(step, Boolean.parseBoolean(arguments[3])).pay(Path.of(arguments[0]), lease);
  }

  private void pay(Path file, Duration lease) throws Exception {
    SqliteDialect dialect = new SqliteDialect(file);
    ObservedDataSource observed = new ObservedDataSource(dialect.dataSource());
    try (JdbcStore store = JdbcStore.sqlite(observed.asDataSource(), dialect);
        Once once = Once.on(store)) {
      observed.aroundCommit = new Stops();
      Policy policy = OPERATION.policy().with(p -> p.lease(lease));
      Operation operation = new Operation(OPERATION.id(), OPERATION.fingerprint(), policy);
      Begun begun = once.begin(operation).toCompletableFuture().join();
      Execution execution = ((Begun.Proceed) begun).execution();
      reached(Step.HANDLER_BEGUN);
      charge(file);
      reached(Step.HANDLER_DONE);
      System.out.println("result " + execution.complete(PAID).toCompletableFuture().join());
      reached(Step.ANSWERED);
    }
  }

  /** The effect in the world: one line for each time the card was charged. */
  static void charge(Path file) throws IOException {
    Files.writeString(
        ledger(file), "charged\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  static long charges(Path file) throws IOException {
    return Files.exists(ledger(file)) ? Files.readAllLines(ledger(file)).size() : 0;
  }

  private static Path ledger(Path file) {
    return file.resolveSibling("ledger");
  }

  private void reached(Step step) {
    if (step == stopAt) {
      System.out.println(step);
      if (!goOn) {
        while (true) {
          LockSupport.park();
        }
      }
      try {
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** The first commit is the claim's, the second the answer's. */
  private final class Stops implements ObservedDataSource.AroundCommit {
    private final AtomicInteger commits = new AtomicInteger();

    @Override
    public void before() {
      reached(commits.get() == 0 ? Step.CLAIM_BEFORE_COMMIT : Step.ANSWER_BEFORE_COMMIT);
    }

    @Override
    public void after() {
      reached(commits.getAndIncrement() == 0 ? Step.CLAIM_COMMITTED : Step.ANSWER_COMMITTED);
    }
  }
}
