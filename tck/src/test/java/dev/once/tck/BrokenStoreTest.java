package dev.once.tck;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedClass;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.Header;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import dev.once.core.store.Claim;
import dev.once.core.store.Claim.Abandoned;
import dev.once.core.store.Claim.Busy;
import dev.once.core.store.Claim.Granted;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.OperationRecord.Status;
import dev.once.core.store.Store;
import dev.once.core.store.spi.ForwardingStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;

/** That the contract bites: each of these stores is wrong in one way, and is caught. */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class BrokenStoreTest {

  @Test
  void a_store_that_lets_a_late_owner_complete_is_caught() {
    assertCaught(
        memory ->
            new BrokenStore(memory) {
              @Override
              public CompletionStage<Boolean> complete(
                  Lease lease, Answer answer, Duration retention) {
                Lease any = correct.find(lease.id()).map(OperationRecord::lease).orElse(lease);
                return super.complete(any, answer, retention);
              }
            },
        StoreContract.AFence.class,
        "complete after a takeover");
  }

  @Test
  void a_store_that_ignores_the_token_is_caught() {
    assertCaught(
        memory ->
            new BrokenStore(memory) {
              @Override
              public CompletionStage<Claim> claim(ClaimRequest request) {
                return super.claim(with(request, request.id(), Topic.newToken()));
              }
            },
        StoreContract.AClaim.class,
        "with the same token is granted the same lease again");
  }

  @Test
  void a_store_that_takes_over_whatever_was_asked_is_caught() {
    assertCaught(
        memory ->
            new BrokenStore(memory) {
              @Override
              public CompletionStage<Claim> claim(ClaimRequest request) {
                Claim claim = correct.claim(request);
                return claim instanceof Abandoned abandoned && request.takeover()
                    ? super.claim(Topic.takeover(request.id(), abandoned.fingerprint()))
                    : completedFuture(claim);
              }
            },
        StoreContract.TheEndOfALease.class,
        "is not taken over by a claim that asks something else");
  }

  @Test
  void a_store_whose_running_operations_expire_is_caught() {
    assertCaught(
        memory ->
            new BrokenStore(memory) {
              private Duration retention = Duration.ZERO;

              @Override
              public CompletionStage<Claim> claim(ClaimRequest request) {
                correct.find(request.id()).filter(this::isExpired).ifPresent(this::remove);
                retention = request.retention();
                return super.claim(request);
              }

              private boolean isExpired(OperationRecord record) {
                return record.status() == Status.PROCESSING
                    && clock.instant().isAfter(record.requestedAt().plus(retention));
              }
            },
        StoreContract.TheRetention.class,
        "never ends a running operation however short it is");
  }

  @Test
  void a_store_that_reads_and_then_writes_is_caught() {
    assertCaught(
        memory ->
            new BrokenStore(memory) {
              @Override
              @SuppressWarnings(
                  "ThreadPriorityCheck") // As a real one is interrupted: by a round trip.
              public CompletionStage<Claim> claim(ClaimRequest request) {
                Optional<OperationRecord> read = correct.find(request.id());
                Thread.yield();
                Claim claim = correct.claim(request);
                while (read.isEmpty() && !(claim instanceof Granted)) {
                  correct.find(request.id()).ifPresent(this::remove);
                  claim = correct.claim(request);
                }
                return completedFuture(claim);
              }
            },
        StoreContract.ARace.class,
        "of claims has one winner");
  }

  @Test
  void a_store_whose_fences_start_again_after_a_release_is_caught() {
    assertCaught(
        memory ->
            new BrokenStore(memory) {
              @Override
              public CompletionStage<Claim> claim(ClaimRequest request) {
                return super.claim(request)
                    .thenApply(
                        claim -> claim instanceof Granted granted ? weak(granted.lease()) : claim);
              }

              private Claim weak(Lease lease) {
                return new Granted(
                    new Lease(lease.id(), new Fence(lease.attempt()), lease.attempt()));
              }

              @Override
              public CompletionStage<Boolean> release(Lease lease) {
                return super.release(correct.found(lease.id()).lease());
              }
            },
        StoreContract.AFence.class,
        "grows over a release");
  }

  @Test
  void a_store_that_lets_the_owner_overwrite_its_answer_is_caught() {
    assertCaught(
        memory ->
            new BrokenStore(memory) {
              @Override
              public CompletionStage<Boolean> complete(
                  Lease lease, Answer answer, Duration retention) {
                OperationRecord record = correct.found(lease.id());
                if (record.status() == Status.PROCESSING) {
                  return super.complete(lease, answer, retention);
                }
                remove(record);
                Lease another = correct.granted(Topic.request(lease.id(), record.fingerprint()));
                return super.complete(another, answer, retention);
              }
            },
        StoreContract.ACompletion.class,
        "never changes a recorded answer");
  }

  @Test
  void a_store_that_believes_the_lease_end_and_not_the_fence_is_caught() {
    assertCaught(
        memory ->
            new BrokenStore(memory) {
              @Override
              public CompletionStage<Boolean> complete(
                  Lease lease, Answer answer, Duration retention) {
                return clock.instant().isAfter(correct.found(lease.id()).leaseEnds())
                    ? completedFuture(false)
                    : super.complete(lease, answer, retention);
              }
            },
        StoreContract.TheEndOfALease.class,
        "does not keep the owner from completing until somebody takes over");
  }

  @Test
  void a_store_that_renews_the_lease_for_a_duplicate_is_caught() {
    assertCaught(
        memory ->
            new BrokenStore(memory) {
              @Override
              public CompletionStage<Claim> claim(ClaimRequest request) {
                Claim claim = correct.claim(request);
                if (claim instanceof Busy) {
                  correct.renew(correct.found(request.id()).lease(), request.lease());
                }
                return completedFuture(claim);
              }
            },
        StoreContract.AClaim.class,
        "that is busy writes nothing");
  }

  @Test
  void a_store_that_leaves_the_scope_out_of_the_identity_is_caught() {
    assertCaught(
        memory ->
            new BrokenStore(memory) {
              @Override
              public CompletionStage<Claim> claim(ClaimRequest request) {
                OperationId keyOnly = new OperationId(Scope.GLOBAL, request.id().key());
                return super.claim(with(request, keyOnly, request.token()));
              }
            },
        StoreContract.TheIdentity.class,
        "has the tenant in it");
  }

  @Test
  void a_store_that_keeps_one_header_of_a_name_is_caught() {
    assertCaught(
        memory ->
            new BrokenStore(memory) {
              @Override
              public CompletionStage<Boolean> complete(
                  Lease lease, Answer answer, Duration retention) {
                Map<String, Header> byName = new LinkedHashMap<>();
                answer.headers().forEach(header -> byName.put(header.name(), header));
                return super.complete(
                    lease, answer.withHeaders(List.copyOf(byName.values())), retention);
              }
            },
        StoreContract.AnAnswer.class,
        "repeated names, in order");
  }

  @Test
  void a_store_that_withdraws_whoever_owns_it_is_caught() {
    assertCaught(
        memory ->
            new BrokenStore(memory) {
              @Override
              public CompletionStage<Boolean> withdraw(OperationId id, long token) {
                Optional<OperationRecord> record = correct.find(id);
                return record.isEmpty()
                    ? completedFuture(false)
                    : super.release(record.get().lease());
              }
            },
        StoreContract.AWithdrawal.class,
        "leaves an operation that another token runs");
  }

  @Test
  void a_store_that_withdraws_an_answer_is_caught() {
    assertCaught(
        memory ->
            new BrokenStore(memory) {
              @Override
              public CompletionStage<Boolean> withdraw(OperationId id, long token) {
                correct
                    .find(id)
                    .filter(r -> r.status() != Status.PROCESSING)
                    .ifPresent(this::remove);
                return super.withdraw(id, token);
              }
            },
        StoreContract.AWithdrawal.class,
        "leaves an answer also one of this token");
  }

  @Test
  void a_store_that_withdraws_by_a_claim_is_caught() {
    assertCaught(
        memory ->
            new BrokenStore(memory) {
              @Override
              public CompletionStage<Boolean> withdraw(OperationId id, long token) {
                Claim claim = correct.claim(with(Topic.request(id), id, token));
                return claim instanceof Granted granted
                    ? super.release(granted.lease())
                    : completedFuture(false);
              }
            },
        StoreContract.AWithdrawal.class,
        "of a claim that never arrived is false and claims nothing");
  }

  @Test
  void a_store_that_cannot_withdraw_is_caught() {
    assertCaught(
        memory ->
            new BrokenStore(memory) {
              @Override
              public CompletionStage<Boolean> withdraw(OperationId id, long token) {
                return completedFuture(false);
              }
            },
        StoreContract.AWithdrawal.class,
        "removes the record so that a retry may run");
  }

  @Test
  void a_store_that_purges_more_than_it_is_asked_to_is_caught() {
    assertCaught(
        memory ->
            new BrokenStore(memory) {
              @Override
              public CompletionStage<Integer> purgeExpired(int atMost) {
                return super.purgeExpired(Integer.MAX_VALUE);
              }
            },
        StoreContract.APurge.class,
        "deletes at most as many as asked for");
  }

  @Test
  void a_store_that_goes_on_after_it_is_closed_is_caught() {
    assertCaught(
        memory ->
            new BrokenStore(memory) {
              @Override
              public void close() {}
            },
        StoreContract.AClosing.class,
        "twice is fine");
  }

  /** A memory store and the correct way to call it, for subclasses that do not. */
  private abstract static class BrokenStore extends ForwardingStore {
    final BlockingStore correct;
    final InstantSource clock;

    BrokenStore(MemoryStoreFixture memory) {
      super(memory.memory());
      this.correct = new BlockingStore(memory.memory());
      this.clock = memory.clock();
    }

    void remove(OperationRecord record) {
      correct.forceRelease(record.lease().id(), record.lease().fence());
    }

    static ClaimRequest with(ClaimRequest request, OperationId id, long token) {
      return new ClaimRequest(
          id,
          request.fingerprint(),
          token,
          request.lease(),
          request.retention(),
          request.takeover());
    }
  }

  /** The contract, over the store that is broken at the moment; else over one that is not. */
  static final class Subject extends StoreContract {
    private static Function<MemoryStoreFixture, Store> breakage = MemoryStoreFixture::memory;

    @Override
    protected StoreFixture open() {
      return new MemoryStoreFixture() {
        private final Store broken = breakage.apply(this);

        @Override
        public Store store() {
          return broken;
        }
      };
    }
  }

  private static void assertCaught(
      Function<MemoryStoreFixture, Store> breakage, Class<?> group, String byTest) {
    Subject.breakage = breakage;
    try {
      assertThat(failuresIn(group)).contains(byTest);
    } finally {
      Subject.breakage = MemoryStoreFixture::memory;
    }
  }

  private static List<String> failuresIn(Class<?> group) {
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectNestedClass(List.of(Subject.class), group))
        .execute()
        .testEvents()
        .failed()
        .map(event -> event.getTestDescriptor().getDisplayName())
        .toList();
  }
}
