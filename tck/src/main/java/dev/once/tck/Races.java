package dev.once.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Fence;
import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.Claim.Busy;
import dev.once.core.store.Claim.Finished;
import dev.once.core.store.Claim.Granted;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** That each step is atomic. */
abstract class Races extends Topic {

  private static final int ROUNDS = 300;
  private static final int RUNNERS = 6;

  Races(Callable<StoreFixture> opener) {
    super(opener);
  }

  @Test
  void of_claims_has_one_winner() {
    assertOneWinnerOfClaims(List.of(store));
  }

  @Test
  void of_claims_over_two_handles_has_one_winner() {
    assertOneWinnerOfClaims(List.of(store, another()));
  }

  @Test
  void of_takeovers_has_one_winner() {
    assertOneWinnerOfTakeovers(List.of(store));
  }

  @Test
  void of_takeovers_over_two_handles_has_one_winner() {
    assertOneWinnerOfTakeovers(List.of(store, another()));
  }

  @Test
  void of_tries_of_one_claim_is_won_by_all_with_the_same_lease() {
    List<ClaimRequest> requests = eachRound(i -> request(round(i)));

    for (List<Claim> replies : Race.run(ROUNDS, runners(List.of(store), requests::get))) {
      assertThat(replies).allSatisfy(reply -> assertThat(reply).isInstanceOf(Granted.class));
      assertThat(replies.stream().distinct()).hasSize(1);
    }
  }

  @Test
  void for_a_counter_that_nothing_else_guards_loses_no_update() {
    assertLosesNoUpdate(List.of(store));
  }

  @Test
  void over_two_handles_for_a_counter_that_nothing_else_guards_loses_no_update() {
    assertLosesNoUpdate(List.of(store, another()));
  }

  @Test
  void of_claims_and_releases_gives_each_owner_a_higher_fence_than_the_last() {
    List<Fence> granted = new ArrayList<>();

    inTurns(List.of(store), 100, lease -> granted.add(lease.fence()));

    assertThat(granted).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void of_a_completion_with_a_takeover_is_won_by_one_of_them() {
    List<Lease> leases = eachRound(i -> store.granted(request(round(i))));
    timePasses(LEASE.plus(SLACK));

    List<List<Object>> rounds =
        Race.run(
            ROUNDS,
            List.of(
                i -> store.complete(leases.get(i), ANSWER, RETENTION),
                i -> store.claim(takeover(round(i)))));

    for (List<Object> round : rounds) {
      assertThat(round.get(1))
          .isInstanceOf(round.get(0).equals(true) ? Finished.class : Granted.class);
    }
  }

  @Test
  void of_a_renewal_with_a_takeover_is_won_by_one_of_them() {
    List<Lease> leases = eachRound(i -> store.granted(request(round(i))));
    timePasses(LEASE.plus(SLACK));

    List<List<Object>> rounds =
        Race.run(
            ROUNDS,
            List.of(i -> store.renew(leases.get(i), LEASE), i -> store.claim(takeover(round(i)))));

    for (List<Object> round : rounds) {
      assertThat(round.get(1)).isInstanceOf(round.get(0).equals(true) ? Busy.class : Granted.class);
    }
  }

  @Test
  void of_a_completion_with_a_release_is_won_by_one_of_them() {
    List<Lease> leases = eachRound(i -> store.granted(request(round(i))));

    List<List<Boolean>> rounds =
        Race.run(
            ROUNDS,
            List.of(
                i -> store.complete(leases.get(i), ANSWER, RETENTION),
                i -> store.release(leases.get(i))));

    for (int i = 0; i < ROUNDS; i++) {
      assertThat(rounds.get(i)).containsExactlyInAnyOrder(true, false);
      assertThat(store.find(round(i)).isPresent()).isEqualTo(rounds.get(i).get(0));
    }
  }

  @Test
  void of_a_completion_with_a_withdrawal_is_won_by_one_of_them() {
    List<ClaimRequest> requests = eachRound(i -> request(round(i)));
    List<Lease> leases = requests.stream().map(store::granted).toList();

    List<List<Boolean>> rounds =
        Race.run(
            ROUNDS,
            List.of(
                i -> store.complete(leases.get(i), ANSWER, RETENTION),
                i -> store.withdraw(requests.get(i))));

    for (int i = 0; i < ROUNDS; i++) {
      assertThat(rounds.get(i)).containsExactlyInAnyOrder(true, false);
      assertThat(store.find(round(i)).isPresent()).isEqualTo(rounds.get(i).get(0));
    }
  }

  @Test
  void of_a_withdrawal_with_claims_removes_nobody_elses() {
    List<ClaimRequest> inDoubt = eachRound(i -> request(round(i)));
    List<ClaimRequest> retries = eachRound(i -> request(round(i)));
    inDoubt.forEach(store::granted);

    List<List<Object>> rounds =
        Race.run(
            ROUNDS,
            List.of(
                i -> store.withdraw(inDoubt.get(i)),
                i -> store.withdraw(inDoubt.get(i)),
                i -> store.claim(retries.get(i))));

    for (int i = 0; i < ROUNDS; i++) {
      assertThat(rounds.get(i).subList(0, 2)).containsExactlyInAnyOrder(true, false);
      boolean granted = rounds.get(i).get(2) instanceof Granted;
      assertThat(store.find(round(i)).isPresent()).isEqualTo(granted);
    }
  }

  @Test
  void of_purges_with_claims_loses_nothing_that_lives() {
    eachRound(i -> finished(round(i), ANSWER));
    everythingExpires();
    List<Lease> live =
        IntStream.range(0, 50).mapToObj(i -> finished(id("live " + i), ANSWER)).toList();
    Supplier<List<Lease>> purges =
        () -> {
          IntStream.range(0, 100).forEach(i -> store.purgeExpired(5));
          return List.of();
        };

    List<List<Lease>> leases =
        Race.run(List.of(purges, purges, () -> claimEverySecond(0), () -> claimEverySecond(1)));

    leases.forEach(
        claimed ->
            assertThat(claimed)
                .allMatch(lease -> store.complete(lease, ANSWER, RETENTION), "is still current"));
    live.forEach(lease -> store.claim(request(lease.id()), Finished.class));
  }

  private List<Lease> claimEverySecond(int first) {
    return IntStream.range(0, ROUNDS)
        .filter(i -> i % 2 == first)
        .mapToObj(i -> store.granted(request(round(i))))
        .toList();
  }

  private void assertOneWinnerOfClaims(List<BlockingStore> handles) {
    for (List<Claim> replies : Race.run(ROUNDS, runners(handles, i -> request(round(i))))) {
      assertThat(replies).filteredOn(Granted.class::isInstance).hasSize(1);
      assertThat(replies).filteredOn(Busy.class::isInstance).hasSize(RUNNERS - 1);
    }
  }

  private void assertOneWinnerOfTakeovers(List<BlockingStore> handles) {
    eachRound(i -> store.granted(request(round(i))));
    timePasses(LEASE.plus(SLACK));

    for (List<Claim> replies : Race.run(ROUNDS, runners(handles, i -> takeover(round(i))))) {
      assertThat(replies).filteredOn(Granted.class::isInstance).hasSize(1);
      assertThat(replies).filteredOn(Busy.class::isInstance).hasSize(RUNNERS - 1);
    }
  }

  private void assertLosesNoUpdate(List<BlockingStore> handles) {
    int[] counter = new int[1];

    inTurns(
        handles,
        25,
        lease -> {
          int read = counter[0];
          letOthersRun(); // Whoever is let in by mistake loses this update.
          counter[0] = read + 1;
        });

    assertThat(counter[0]).isEqualTo(RUNNERS * 25);
  }

  /** Each runner does this many turns; in each it claims the one key, does the work, releases. */
  private static void inTurns(List<BlockingStore> handles, int turns, Consumer<Lease> work) {
    List<Supplier<Integer>> runners = new ArrayList<>();
    for (int runner = 0; runner < RUNNERS; runner++) {
      BlockingStore handle = handles.get(runner % handles.size());
      runners.add(
          () -> {
            for (int done = 0; done < turns; ) {
              if (handle.claim(request(ID)) instanceof Granted granted) {
                work.accept(granted.lease());
                assertThat(handle.release(granted.lease())).isTrue();
                done++;
              } else {
                letOthersRun();
              }
            }
            return turns;
          });
    }
    Race.run(runners);
  }

  @SuppressWarnings("ThreadPriorityCheck") // No result depends on it: it only tightens the race.
  private static void letOthersRun() {
    Thread.yield();
  }

  private static List<IntFunction<Claim>> runners(
      List<BlockingStore> handles, IntFunction<ClaimRequest> request) {
    return IntStream.range(0, RUNNERS)
        .<IntFunction<Claim>>mapToObj(
            runner -> {
              BlockingStore handle = handles.get(runner % handles.size());
              return round -> handle.claim(request.apply(round));
            })
        .toList();
  }

  private static <T> List<T> eachRound(IntFunction<T> step) {
    return IntStream.range(0, ROUNDS).mapToObj(step).toList();
  }

  private static OperationId round(int number) {
    return id("round " + number);
  }
}
