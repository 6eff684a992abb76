package dev.once.tck;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Inspection.Counts;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.Store;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store as most tests call it: each step waits for its reply. */
record BlockingStore(Store store) {

  private static final long LONGEST_REPLY_SECONDS = 60;

  Claim claim(ClaimRequest request) {
    return await(store.claim(request));
  }

  /** Claims, and fails the test unless the reply is of this kind. */
  <C extends Claim> C claim(ClaimRequest request, Class<C> expected) {
    Claim claim = claim(request);
    assertThat(claim).isInstanceOf(expected);
    return expected.cast(claim);
  }

  Lease granted(ClaimRequest request) {
    return claim(request, Claim.Granted.class).lease();
  }

  boolean complete(Lease lease, Answer answer, Duration retention) {
    return await(store.complete(lease, answer, retention));
  }

  boolean release(Lease lease) {
    return await(store.release(lease));
  }

  boolean withdraw(ClaimRequest request) {
    return await(store.withdraw(request.id(), request.token()));
  }

  boolean renew(Lease lease, Duration length) {
    return await(store.renew(lease, length));
  }

  int purgeExpired(int atMost) {
    return await(store.purgeExpired(atMost));
  }

  Optional<OperationRecord> find(OperationId id) {
    return await(store.inspection().find(id));
  }

  /** The record, which has to be there. */
  OperationRecord found(OperationId id) {
    return find(id)
        .orElseThrow(() -> new AssertionError("no record (expected: one of " + id + ")"));
  }

  Counts count() {
    return await(store.inspection().count());
  }

  boolean forceRelease(OperationId id, Fence seen) {
    return await(store.inspection().forceRelease(id, seen));
  }

  static <T> T await(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(LONGEST_REPLY_SECONDS, SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError("a stage failed (expected: a reply)", e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError("no reply (expected: within " + LONGEST_REPLY_SECONDS + " s)", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for a reply", e);
    }
  }

  /** The reply to a step, or else what it failed with, whether thrown or in its stage. */
  static @Nullable Object outcome(Supplier<? extends CompletionStage<?>> step) {
    try {
      return step.get().toCompletableFuture().get(LONGEST_REPLY_SECONDS, SECONDS);
    } catch (ExecutionException e) {
      return e.getCause();
    } catch (TimeoutException | InterruptedException | RuntimeException e) {
      return e;
    }
  }
}
