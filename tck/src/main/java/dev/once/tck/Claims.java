package dev.once.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.Claim.Abandoned;
import dev.once.core.store.Claim.Busy;
import dev.once.core.store.Claim.Finished;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What a claim is answered. */
abstract class Claims extends Topic {

  Claims(Callable<StoreFixture> opener) {
    super(opener);
  }

  @Test
  void of_an_absent_operation_is_granted_as_attempt_1() {
    Lease lease = store.granted(request(ID));

    assertThat(lease.id()).isEqualTo(ID);
    assertThat(lease.attempt()).isEqualTo(1);
  }

  @Test
  void of_an_absent_operation_is_granted_as_attempt_1_also_where_a_takeover_is_allowed() {
    assertThat(store.granted(takeover(ID)).attempt()).isEqualTo(1);
  }

  @Test
  void of_a_running_operation_is_busy_with_the_first_fingerprint() {
    store.granted(request(ID, ASKED));

    assertThat(store.claim(request(ID, ASKED), Busy.class).fingerprint()).isEqualTo(ASKED);
    assertThat(store.claim(request(ID, ASKED_OTHERWISE), Busy.class).fingerprint())
        .isEqualTo(ASKED);
  }

  @Test
  void of_a_running_operation_is_busy_also_where_a_takeover_is_allowed() {
    store.granted(request(ID));

    store.claim(takeover(ID), Busy.class);
  }

  @Test
  void that_is_busy_says_how_much_of_the_lease_remains() {
    store.granted(request(ID));

    assertThat(store.claim(request(ID), Busy.class).leaseRemaining())
        .isGreaterThan(LEASE.minus(SLACK))
        .isLessThanOrEqualTo(LEASE);

    Duration some = LEASE.dividedBy(3);
    timePasses(some);

    assertThat(store.claim(request(ID), Busy.class).leaseRemaining())
        .isGreaterThan(LEASE.minus(some).minus(SLACK))
        .isLessThanOrEqualTo(LEASE.minus(some));
  }

  @Test
  void of_a_finished_operation_gives_its_answer_and_its_fingerprint() {
    finished(ID, ANSWER);

    assertThat(store.claim(request(ID, ASKED))).isEqualTo(new Finished(ASKED, ANSWER));
    assertThat(store.claim(request(ID, ASKED_OTHERWISE))).isEqualTo(new Finished(ASKED, ANSWER));
    assertThat(store.claim(takeover(ID))).isEqualTo(new Finished(ASKED, ANSWER));
  }

  @Test
  void that_is_busy_writes_nothing() {
    store.granted(request(ID));
    OperationRecord before = agedRecord(ID);

    store.claim(takeover(ID, ASKED_OTHERWISE), Busy.class);

    assertThat(store.found(ID)).isEqualTo(before);
  }

  @Test
  void that_is_answered_writes_nothing() {
    finished(ID, ANSWER);
    OperationRecord before = agedRecord(ID);

    store.claim(takeover(ID, ASKED_OTHERWISE), Finished.class);

    assertThat(store.found(ID)).isEqualTo(before);
  }

  @Test
  void that_finds_it_abandoned_writes_nothing() {
    abandoned(ID);
    OperationRecord before = agedRecord(ID);

    store.claim(request(ID), Abandoned.class);
    store.claim(takeover(ID, ASKED_OTHERWISE), Abandoned.class);

    assertThat(store.found(ID)).isEqualTo(before);
  }

  @Test
  void of_a_released_operation_is_granted_as_attempt_1_whatever_it_asks() {
    store.release(store.granted(request(ID, ASKED)));

    assertThat(store.granted(request(ID, ASKED_OTHERWISE)).attempt()).isEqualTo(1);
    assertThat(store.found(ID).fingerprint()).isEqualTo(ASKED_OTHERWISE);
  }

  @Test
  void with_the_same_token_is_granted_the_same_lease_again() {
    ClaimRequest request = request(ID);
    Lease lease = store.granted(request);

    assertThat(store.granted(request)).isEqualTo(lease);
    assertThat(store.granted(request)).isEqualTo(lease);
    assertThat(store.complete(lease, ANSWER, RETENTION)).isTrue();
  }

  @Test
  void with_the_same_token_writes_nothing() {
    ClaimRequest request = takeover(ID);
    store.granted(request);
    OperationRecord running = agedRecord(ID);
    store.granted(request);
    assertThat(store.found(ID)).isEqualTo(running);

    timePasses(LEASE);
    OperationRecord over = store.found(ID);
    store.granted(request);
    assertThat(store.found(ID)).isEqualTo(over);
  }

  @Test
  void that_is_busy_does_not_take_the_owners_token_away() {
    ClaimRequest request = request(ID);
    Lease lease = store.granted(request);

    store.claim(request(ID), Busy.class);

    assertThat(store.granted(request)).isEqualTo(lease);
  }

  @Test
  void with_the_same_token_after_a_renewal_is_granted_the_same_lease() {
    ClaimRequest request = request(ID);
    Lease lease = store.granted(request);
    store.renew(lease, LEASE);

    assertThat(store.granted(request)).isEqualTo(lease);
  }

  @Test
  void with_the_same_token_after_the_lease_ended_is_granted_the_same_lease() {
    ClaimRequest request = request(ID);
    ClaimRequest takeover = takeover(OTHER);
    Lease lease = store.granted(request);
    Lease other = store.granted(takeover);
    timePasses(LEASE.plus(SLACK));

    assertThat(store.granted(request)).isEqualTo(lease);
    assertThat(store.granted(takeover)).isEqualTo(other);
  }

  @Test
  void with_the_token_of_an_owner_that_was_taken_over_is_busy() {
    ClaimRequest request = request(ID);
    store.granted(request);
    timePasses(LEASE.plus(SLACK));
    store.granted(takeover(ID));

    store.claim(request, Busy.class);
  }

  @Test
  void with_the_same_token_after_it_finished_gives_the_answer() {
    ClaimRequest request = request(ID);
    store.complete(store.granted(request), ANSWER, RETENTION);

    assertThat(store.claim(request)).isEqualTo(new Finished(ASKED, ANSWER));
  }

  @Test
  void with_the_same_token_after_a_release_is_granted_anew() {
    ClaimRequest request = request(ID);
    Lease released = store.granted(request);
    store.release(released);

    assertThat(store.granted(request).fence()).isGreaterThan(released.fence());
  }

  @Test
  void with_the_token_of_another_operation_is_a_claim_of_its_own() {
    ClaimRequest one = request(ID);
    ClaimRequest two = new ClaimRequest(OTHER, ASKED, one.token(), LEASE, RETENTION, false);

    assertThat(store.granted(one).id()).isEqualTo(ID);
    assertThat(store.granted(two).id()).isEqualTo(OTHER);
  }

  @TestFactory
  Stream<DynamicTest> may_have_any_number_as_its_token() {
    return LongStream.of(0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE)
        .mapToObj(
            token ->
                DynamicTest.dynamicTest(
                    "token " + token,
                    () -> {
                      ClaimRequest request =
                          new ClaimRequest(
                              id("token " + token), ASKED, token, LEASE, RETENTION, false);
                      Lease lease = store.granted(request);

                      assertThat(store.granted(request)).isEqualTo(lease);
                      store.claim(request(lease.id()), Busy.class);
                    }));
  }
}
