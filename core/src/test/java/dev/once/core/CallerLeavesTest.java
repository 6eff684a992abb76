package dev.once.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.OperationRecord.Status;
import dev.once.core.store.spi.ForwardingStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A caller that does not wait any longer ends the future that it was given, by {@code orTimeout} or
 * {@code cancel}. What happens, and who is told, does not depend on that.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class CallerLeavesTest {

  private static final Operation OPERATION =
      Operation.of(Scope.of("acme", "alice"), "key-1", "POST", "/payments", "{}");
  private static final Answer ANSWER = Answer.success(201, Body.EMPTY);

  /** Opened when the caller has left; everything that waits for it is done by then. */
  private final CompletableFuture<Void> gate = new CompletableFuture<>();

  private final MemoryStore memory = new MemoryStore();
  private final List<String> told = new CopyOnWriteArrayList<>();
  private boolean slowClaims;

  private final Once once =
      Once.builder(
              new ForwardingStore(memory) {
                @Override
                public CompletionStage<Claim> claim(ClaimRequest request) {
                  return slowClaims
                      ? gate.thenCompose(any -> super.claim(request))
                      : super.claim(request);
                }

                @Override
                public CompletionStage<Boolean> complete(
                    Lease lease, Answer answer, Duration retention) {
                  return gate.thenCompose(any -> super.complete(lease, answer, retention));
                }

                @Override
                public CompletionStage<Boolean> release(Lease lease) {
                  return gate.thenCompose(any -> super.release(lease));
                }
              })
          .executor(Runnable::run)
          .listener(
              new OnceListener() {
                @Override
                public void begun(Execution execution) {
                  told.add("begun");
                }

                @Override
                public void ended(Execution execution, Result result) {
                  told.add("ended");
                }

                @Override
                public void released(Execution execution) {
                  told.add("released");
                }
              })
          .build();

  @AfterEach
  void close() {
    once.close();
    memory.close();
  }

  private void leave(CompletionStage<?> stage) {
    CompletableFuture<?> given = stage.toCompletableFuture();
    assertThat(given.completeExceptionally(new TimeoutException("as orTimeout does"))).isTrue();
    gate.complete(null);
  }

  private Optional<Status> state() {
    return memory
        .inspection()
        .find(OPERATION.id())
        .toCompletableFuture()
        .join()
        .map(OperationRecord::status);
  }

  private Execution begin() {
    Begun begun = once.begin(OPERATION).toCompletableFuture().join();
    return ((Begun.Proceed) begun).execution();
  }

  @Test
  void what_begin_would_have_given_to_one_that_left_is_free() {
    slowClaims = true;
    leave(once.begin(OPERATION));
    assertThat(told).containsExactly("begun", "released");
    assertThat(state()).isEmpty();
  }

  @Test
  void run_async_runs_to_its_end() {
    slowClaims = true;
    leave(once.runAsync(OPERATION, any -> CompletableFuture.completedFuture(ANSWER)));
    assertThat(told).containsExactly("begun", "ended");
    assertThat(state()).contains(Status.DONE);
  }

  @Test
  void call_async_runs_to_its_end() {
    slowClaims = true;
    leave(
        once.callAsync(
            OPERATION, Codec.text(), any -> CompletableFuture.completedFuture("charged")));
    assertThat(told).containsExactly("begun", "ended");
    assertThat(state()).contains(Status.DONE);
  }

  @Test
  void complete_is_told_when_it_is_recorded() {
    leave(begin().complete(ANSWER));
    assertThat(told).containsExactly("begun", "ended");
    assertThat(state()).contains(Status.DONE);
  }

  @Test
  void fail_is_told_when_it_is_recorded() {
    leave(begin().fail(new IllegalStateException("declined")));
    assertThat(told).containsExactly("begun", "ended");
    assertThat(state()).contains(Status.FAILED);
  }

  @Test
  void release_is_told_when_the_key_is_free() {
    leave(begin().release());
    assertThat(told).containsExactly("begun", "released");
    assertThat(state()).isEmpty();
  }
}
