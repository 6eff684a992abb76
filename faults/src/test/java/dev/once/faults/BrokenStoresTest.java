package dev.once.faults;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.Fingerprint;
import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.Store;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Stores with the defects that the runs are there to find: the harness finds each of them. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class BrokenStoresTest {

  private final Store memory = new MemoryStore();

  @Test
  void a_store_as_it_should_be_passes() {
    assertThat(broken("Harness: no defect", new SharedStore(memory), () -> {})).isEmpty();
  }

  @Test
  void a_store_that_forgets_an_answer_is_found() {
    Store store = new SharedStore(memory);
    assertThat(broken("Harness: forgets", store, this::forgetAnswers))
        .contains(Rule.ONE_ANSWER, Rule.LAST_OWNER, Rule.UNKNOWN_RUNS_ONCE);
  }

  @Test
  void a_store_that_lets_a_late_owner_record_is_found() {
    Store store =
        new SharedStore(memory) {
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
        new SharedStore(memory) {
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
        new SharedStore(memory) {
          @Override
          public CompletionStage<Claim> claim(ClaimRequest request) {
            return super.claim(brief(request, true));
          }
        };
    assertThat(broken("Harness: takes over", store, () -> {})).contains(Rule.UNKNOWN_RUNS_ONCE);
  }

  /** What the rules about two calls do not see. */
  @Test
  void a_store_that_says_busy_for_free_keys_is_found() {
    Set<OperationId> asked = ConcurrentHashMap.newKeySet();
    Store store =
        new SharedStore(memory) {
          @Override
          public CompletionStage<Claim> claim(ClaimRequest request) {
            return asked.add(request.id())
                ? completedFuture(new Claim.Busy(request.fingerprint(), Duration.ofMillis(1)))
                : super.claim(request);
          }
        };
    assertThat(broken("Harness: busy for nothing", store, () -> {}))
        .containsExactly(Rule.LINEARIZABLE);
  }

  @Test
  void a_store_that_says_busy_after_the_answer_is_found() {
    assertThat(broken("Harness: busy after", saysOfAnswers(Claim.Busy.class), () -> {}))
        .contains(Rule.BUSY_ENDS);
  }

  @Test
  void a_store_that_says_abandoned_after_the_answer_is_found() {
    assertThat(broken("Harness: abandoned", saysOfAnswers(Claim.Abandoned.class), () -> {}))
        .contains(Rule.ANSWER_STAYS);
  }

  /** Of every third answer that is asked for it says that there is none. */
  private Store saysOfAnswers(Class<? extends Claim> what) {
    AtomicInteger asked = new AtomicInteger();
    return new SharedStore(memory) {
      @Override
      public CompletionStage<Claim> claim(ClaimRequest request) {
        return super.claim(request)
            .thenApply(
                claim ->
                    claim instanceof Claim.Finished done && asked.incrementAndGet() % 3 == 0
                        ? instead(done.fingerprint())
                        : claim);
      }

      private Claim instead(Fingerprint fingerprint) {
        return what == Claim.Busy.class
            ? new Claim.Busy(fingerprint, Duration.ofMillis(1))
            : new Claim.Abandoned(fingerprint, new Fence(1));
      }
    };
  }

  @Test
  void a_store_that_says_abandoned_of_what_nobody_ran_is_found() {
    Set<OperationId> asked = ConcurrentHashMap.newKeySet();
    Store store =
        new SharedStore(memory) {
          @Override
          public CompletionStage<Claim> claim(ClaimRequest request) {
            return asked.add(request.id())
                ? completedFuture(new Claim.Abandoned(request.fingerprint(), new Fence(1)))
                : super.claim(request);
          }
        };
    assertThat(broken("Harness: unknown for nothing", store, () -> {}))
        .contains(Rule.UNKNOWN_AFTER_A_RUN);
  }

  /** As a cache does that no release reaches. */
  @Test
  void a_store_that_gives_released_answers_is_found() {
    Map<OperationId, Claim> seen = new ConcurrentHashMap<>();
    Store store =
        new SharedStore(memory) {
          @Override
          public CompletionStage<Claim> claim(ClaimRequest request) {
            return super.claim(request)
                .thenApply(
                    claim -> {
                      Claim before =
                          claim instanceof Claim.Finished
                              ? seen.putIfAbsent(request.id(), claim)
                              : null;
                      return before == null ? claim : before;
                    });
          }
        };
    assertThat(broken("Harness: remembers", store, () -> {})).contains(Rule.RELEASED_IS_GONE);
  }

  @Test
  void a_store_that_replaces_an_answer_is_found() {
    AtomicInteger asked = new AtomicInteger();
    Store store =
        new SharedStore(memory) {
          @Override
          public CompletionStage<Claim> claim(ClaimRequest request) {
            return super.claim(request)
                .thenApply(
                    claim ->
                        claim instanceof Claim.Finished done && asked.incrementAndGet() % 3 == 0
                            ? new Claim.Finished(done.fingerprint(), replaced(done.answer()))
                            : claim);
          }

          private Answer replaced(Answer answer) {
            return Keys.answer(Keys.text(answer).replace(" by ", " not by "), 500);
          }
        };
    assertThat(broken("Harness: replaces", store, () -> {}))
        .contains(Rule.ONE_ANSWER, Rule.FROM_A_RUN);
  }

  @Test
  void a_store_that_gives_expired_answers_is_found() {
    Store store =
        new SharedStore(memory) {
          @Override
          public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration kept) {
            return super.complete(lease, answer, Duration.ofDays(1));
          }
        };
    assertThat(broken("Harness: never expires", store, this::letAnswersExpire))
        .containsExactly(Rule.EXPIRED_IS_GONE);
  }

  /** And lets clients ask for them again. */
  private void letAnswersExpire() {
    Eventually.letTimePass(Keys.retention(Keys.key(4)).plusSeconds(1));
  }

  @Test
  void a_store_that_expires_answers_too_early_is_found() {
    Store store =
        new SharedStore(memory) {
          @Override
          public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration kept) {
            return super.complete(lease, answer, Duration.ofMillis(200));
          }
        };
    assertThat(broken("Harness: expires early", store, () -> {}))
        .contains(Rule.ANSWER_STAYS, Rule.DURABLE);
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
