package dev.once.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.once.core.OperationId;
import dev.once.core.store.Claim.Abandoned;
import dev.once.core.store.Claim.Busy;
import dev.once.core.store.Claim.Finished;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a step costs. */
abstract class RoundTrips extends Topic {

  RoundTrips(Callable<StoreFixture> opener) {
    super(opener);
  }

  @BeforeEach
  void assumeCounted() {
    assumeTrue(fixture.roundTrips().isPresent(), "this store's round trips are not counted");
    warmUp(id("warm-up"));
  }

  /** What a store prepares at the first use of a step is not part of its cost. */
  private void warmUp(OperationId id) {
    Lease lease = store.granted(request(id));
    store.renew(lease, LEASE);
    store.release(lease);
    ClaimRequest inDoubt = request(id);
    store.granted(inDoubt);
    store.withdraw(inDoubt);
    finished(id, ANSWER);
    store.purgeExpired(1);
  }

  @Test
  void of_a_first_request_are_two() {
    assertCosts(2, () -> finished(ID, ANSWER));
  }

  @Test
  void of_a_replay_are_one() {
    finished(ID, ANSWER);

    assertCosts(1, () -> store.claim(request(ID), Finished.class));
  }

  @Test
  void of_a_busy_duplicate_are_one() {
    store.granted(request(ID));

    assertCosts(1, () -> store.claim(request(ID), Busy.class));
  }

  @Test
  void of_a_lost_reply_are_one_more() {
    var request = request(ID);
    store.granted(request);

    assertCosts(1, () -> store.granted(request));
  }

  @Test
  void of_finding_it_abandoned_are_one() {
    abandoned(ID);

    assertCosts(1, () -> store.claim(request(ID), Abandoned.class));
  }

  @Test
  void of_a_takeover_are_one() {
    abandoned(ID);

    assertCosts(1, () -> store.granted(takeover(ID)));
  }

  @Test
  void of_a_claim_of_an_expired_key_are_one() {
    finished(ID, ANSWER);
    everythingExpires();

    assertCosts(1, () -> store.granted(request(ID)));
  }

  @Test
  void of_a_renewal_are_one() {
    Lease lease = store.granted(request(ID));

    assertCosts(1, () -> assertThat(store.renew(lease, LEASE)).isTrue());
  }

  @Test
  void of_a_release_are_one() {
    Lease lease = store.granted(request(ID));

    assertCosts(1, () -> assertThat(store.release(lease)).isTrue());
  }

  @Test
  void of_a_withdrawal_are_one() {
    ClaimRequest inDoubt = request(ID);
    store.granted(inDoubt);

    assertCosts(1, () -> assertThat(store.withdraw(inDoubt)).isTrue());
  }

  @Test
  void of_a_withdrawal_that_finds_nothing_are_one() {
    assertCosts(1, () -> assertThat(store.withdraw(request(ID))).isFalse());
  }

  @Test
  void of_a_refused_completion_are_one() {
    Lease lost = abandoned(ID);
    store.granted(takeover(ID));

    assertCosts(1, () -> assertThat(store.complete(lost, ANSWER, RETENTION)).isFalse());
  }

  @Test
  void of_a_purge_are_one() {
    finished(ID, ANSWER);
    everythingExpires();

    assertCosts(fixture.purgesByItself() ? 0 : 1, () -> store.purgeExpired(10));
  }

  private void assertCosts(long expected, Runnable step) {
    long before = fixture.roundTrips().orElseThrow();
    step.run();
    assertThat(fixture.roundTrips().orElseThrow() - before).isEqualTo(expected);
  }
}
