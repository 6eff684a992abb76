package dev.once.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.OperationRecord;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;

/** An engine over a real in-memory store, in virtual time, on the test's own thread. */
abstract class EngineFixture {

  static final Answer PAID = Answer.success(201, Body.of("paid"));
  static final Answer REJECTED = Answer.rejection(422, Body.of("no such card"));
  static final Answer FAILED = Answer.failure(503, Body.of("bank is down"));
  static final Duration LEASE = Policy.DEFAULT.lease();

  /** One for all engines: their tokens must differ. */
  private final SplittableRandom random = new SplittableRandom(1);

  final VirtualTime time = new VirtualTime();
  final MemoryStore memory = new MemoryStore(time, 1_000, 1_000_000_000);
  final FaultyStore store = new FaultyStore(memory);
  final Once once = engine();
  int runs;

  /** Another engine on the same store, as in another process. */
  Once engine() {
    return configured(builder -> builder);
  }

  Once configured(UnaryOperator<Once.Builder> changes) {
    return changes
        .apply(
            Once.builder(store)
                .scheduler(time)
                .random(random)
                .executor(Runnable::run)
                .purgeInterval(Duration.ofDays(3650)))
        .build();
  }

  @AfterEach
  void close() {
    once.close();
  }

  static Operation pay(String key) {
    return pay(key, policy -> policy);
  }

  static Operation pay(String key, UnaryOperator<Policy.Builder> changes) {
    return request(key, "pay 10", changes);
  }

  static Operation request(String key, String what, UnaryOperator<Policy.Builder> changes) {
    return Operation.of(
        new Scope("tenant", "user", ""),
        Key.of(key),
        Fingerprint.of(what),
        Policy.DEFAULT.with(changes));
  }

  /** Runs it to the end with this answer, counting the runs. */
  Result run(Operation operation, Answer answer) {
    return run(once, operation, answer);
  }

  Result run(Once engine, Operation operation, Answer answer) {
    try {
      return engine.run(
          operation,
          execution -> {
            runs++;
            return answer;
          });
    } catch (Exception e) {
      throw new AssertionError("the handler throws nothing", e);
    }
  }

  Execution proceed(Operation operation) {
    return proceed(once, operation);
  }

  Execution proceed(Once engine, Operation operation) {
    return ((Begun.Proceed) now(engine.begin(operation))).execution();
  }

  Refusal refusal(CompletionStage<Begun> begun) {
    return ((Begun.Refuse) now(begun)).refusal();
  }

  Refusal.Reason reason(Result result) {
    return ((Result.Refused) result).refusal().reason();
  }

  /** The value of a stage that must be complete without any time passing. */
  static <T> T now(CompletionStage<T> stage) {
    assertThat(stage.toCompletableFuture()).isDone();
    return stage.toCompletableFuture().join();
  }

  Optional<OperationRecord> record(Operation operation) {
    return now(memory.find(operation.id()));
  }

  /** The operation's owner was another process, which died after its claim. */
  void crashedOwner(Operation operation) {
    Claim claim =
        now(
            memory.claim(
                new ClaimRequest(
                    operation.id(),
                    operation.fingerprint(),
                    -1,
                    operation.policy().lease(),
                    operation.policy().retention(),
                    false)));
    assertThat(claim).isInstanceOf(Claim.Granted.class);
    time.passes(operation.policy().lease());
  }
}
