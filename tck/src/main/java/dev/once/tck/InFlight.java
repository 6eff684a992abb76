package dev.once.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.store.Claim;
import dev.once.core.store.Claim.Busy;
import dev.once.core.store.Claim.Finished;
import dev.once.core.store.Claim.Granted;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * That steps which share a round trip, a statement or a commit stay steps of their own. All of them
 * are sent by one thread before the first reply is waited for.
 */
abstract class InFlight extends Topic {

  private static final int STEPS = 200;

  InFlight(Callable<StoreFixture> opener) {
    super(opener);
  }

  @Test
  void claims_of_one_key_have_one_winner() {
    List<Claim> replies = all(i -> store.store().claim(request(ID)));

    assertThat(replies).filteredOn(Granted.class::isInstance).hasSize(1);
    assertThat(replies).filteredOn(Busy.class::isInstance).hasSize(STEPS - 1);
  }

  @Test
  void tries_of_one_claim_are_granted_the_same_lease() {
    ClaimRequest request = request(ID);

    List<Claim> replies = all(i -> store.store().claim(request));

    assertThat(replies.stream().distinct()).singleElement().isInstanceOf(Granted.class);
  }

  @Test
  void takeovers_of_one_key_have_one_winner() {
    abandoned(ID);

    List<Claim> replies = all(i -> store.store().claim(takeover(ID)));

    assertThat(replies).filteredOn(Granted.class::isInstance).hasSize(1);
    assertThat(replies).filteredOn(Busy.class::isInstance).hasSize(STEPS - 1);
  }

  @Test
  void claims_of_many_keys_are_each_granted_their_own() {
    List<Claim> replies = all(i -> store.store().claim(request(id("key " + i))));

    for (int i = 0; i < STEPS; i++) {
      assertThat(replies.get(i)).isInstanceOf(Granted.class);
      assertThat(((Granted) replies.get(i)).lease().id()).isEqualTo(id("key " + i));
    }
  }

  @Test
  void completions_of_many_keys_each_record_their_own_answer() {
    List<Lease> leases = granted();

    List<Boolean> replies = all(i -> store.store().complete(leases.get(i), answer(i), RETENTION));

    assertThat(replies).containsOnly(true);
    for (int i = 0; i < STEPS; i++) {
      assertThat(store.claim(request(id("key " + i)))).isEqualTo(new Finished(ASKED, answer(i)));
    }
  }

  @Test
  void completions_of_one_lease_are_all_true_and_record_one_answer() {
    Lease lease = store.granted(request(ID));

    List<Boolean> replies = all(i -> store.store().complete(lease, answer(i), RETENTION));

    assertThat(replies).containsOnly(true);
    Answer recorded = store.claim(request(ID), Finished.class).answer();
    assertThat(IntStream.range(0, STEPS).mapToObj(InFlight::answer)).contains(recorded);
    assertThat(store.found(ID).answer()).isEqualTo(recorded);
  }

  @Test
  void completions_by_late_owners_are_refused_alone() {
    List<Lease> leases = granted();
    List<Lease> late = leases.subList(0, STEPS / 2);
    late.forEach(store::release);
    late.forEach(lease -> store.granted(request(lease.id())));

    List<Boolean> replies = all(i -> store.store().complete(leases.get(i), answer(i), RETENTION));

    for (int i = 0; i < STEPS; i++) {
      assertThat(replies.get(i)).isEqualTo(i >= STEPS / 2);
      assertThat(store.claim(request(leases.get(i).id())))
          .isInstanceOf(i >= STEPS / 2 ? Finished.class : Busy.class);
    }
  }

  @Test
  void steps_of_different_kinds_each_do_their_own() {
    List<Lease> leases = granted();

    List<Boolean> replies =
        all(
            i ->
                switch (i % 3) {
                  case 0 -> store.store().complete(leases.get(i), answer(i), RETENTION);
                  case 1 -> store.store().release(leases.get(i));
                  default -> store.store().renew(leases.get(i), LEASE);
                });

    assertThat(replies).containsOnly(true);
    for (int i = 0; i < STEPS; i++) {
      assertThat(store.claim(request(leases.get(i).id())))
          .isInstanceOf(List.of(Finished.class, Granted.class, Busy.class).get(i % 3));
    }
  }

  @Test
  void withdrawals_of_many_keys_each_remove_their_own() {
    List<ClaimRequest> inDoubt =
        IntStream.range(0, STEPS).mapToObj(i -> request(id("key " + i))).toList();
    all(i -> store.store().claim(inDoubt.get(i)));

    List<Boolean> replies =
        all(
            i ->
                store
                    .store()
                    .withdraw(
                        inDoubt.get(i).id(), i % 2 == 0 ? inDoubt.get(i).token() : newToken()));

    for (int i = 0; i < STEPS; i++) {
      assertThat(replies.get(i)).isEqualTo(i % 2 == 0);
      assertThat(store.claim(request(inDoubt.get(i).id())))
          .isInstanceOf(i % 2 == 0 ? Granted.class : Busy.class);
    }
  }

  private List<Lease> granted() {
    return all(i -> store.store().claim(request(id("key " + i)))).stream()
        .map(claim -> ((Granted) claim).lease())
        .toList();
  }

  private static Answer answer(int i) {
    return Answer.success(200 + i, Body.of("answer " + i));
  }

  private static <T> List<T> all(IntFunction<CompletionStage<T>> step) {
    List<CompletionStage<T>> sent = IntStream.range(0, STEPS).mapToObj(step).toList();
    return sent.stream().map(BlockingStore::await).toList();
  }
}
