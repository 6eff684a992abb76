package dev.once.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Lease;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.Store;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Stores with the defects that the runs are there to find: the harness finds each of them. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(120)
class BrokenStoresTest {

  private final Store memory = new MemoryStore();

  @Test
  void a_store_as_it_should_be_passes() {
    assertThat(broken("Harness: no defect", new Shared(memory), () -> {})).isEmpty();
  }

  @Test
  void a_store_that_forgets_an_answer_is_found() {
    Store store = new Shared(memory);
    assertThat(broken("Harness: forgets", store, this::forgetAnswers))
        .contains(Rule.ONE_ANSWER, Rule.LAST_OWNER, Rule.UNKNOWN_NEVER_AGAIN);
  }

  @Test
  void a_store_that_lets_a_late_owner_record_is_found() {
    Store store =
        new Shared(memory) {
          @Override
          public CompletionStage<Claim> claim(ClaimRequest request) {
            return super.claim(brief(request, request.takeover())); // so that many are late
          }

          @Override
          public CompletionStage<Boolean> renew(Lease lease, Duration length) {
            return CompletableFuture.completedFuture(true);
          }

          @Override
          public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration kept) {
            return super.complete(lease, answer, kept).thenApply(recorded -> true);
          }
        };
    assertThat(broken("Harness: late owners", store, () -> {}))
        .contains(Rule.ONE_ANSWER, Rule.LAST_OWNER);
  }

  @Test
  void a_store_that_ends_leases_early_is_found() {
    Store store =
        new Shared(memory) {
          @Override
          public CompletionStage<Claim> claim(ClaimRequest request) {
            return super.claim(brief(request, request.takeover()));
          }
        };
    assertThat(broken("Harness: short leases", store, () -> {})).contains(Rule.LEASE_RESPECTED);
  }

  @Test
  void a_store_that_takes_over_what_it_must_not_is_found() {
    Store store =
        new Shared(memory) {
          @Override
          public CompletionStage<Claim> claim(ClaimRequest request) {
            return super.claim(brief(request, true));
          }
        };
    assertThat(broken("Harness: takes over", store, () -> {})).contains(Rule.UNKNOWN_NEVER_AGAIN);
  }

  /** For less time than most handlers take. */
  private static ClaimRequest brief(ClaimRequest request, boolean takeover) {
    return new ClaimRequest(
        request.id(),
        request.fingerprint(),
        request.token(),
        Duration.ofMillis(5),
        request.retention(),
        takeover);
  }

  private void forgetAnswers() {
    for (int number = 0; number < 50; number++) {
      memory
          .inspection()
          .find(Keys.id(Keys.key(number)))
          .toCompletableFuture()
          .join()
          .filter(record -> record.status() == OperationRecord.Status.DONE)
          .ifPresent(
              record ->
                  memory.inspection().forceRelease(record.lease().id(), record.lease().fence()));
    }
  }

  private static Set<Rule> broken(String name, Store store, Runnable fault) {
    try (Run run = new Run(name, Plan.SHORT)) {
      run.engine(store);
      run.awaitAnswers(30);
      fault.run();
      run.engine(store);
      run.awaitAnswers(300);
      run.finish();
      return run.violations(() -> store).stream().map(Violation::rule).collect(Collectors.toSet());
    }
  }
}
