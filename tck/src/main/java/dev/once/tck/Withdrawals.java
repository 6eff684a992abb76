package dev.once.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Fingerprint;
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

/** How a claim is taken back whose reply never came: nobody knows its fence, only its token. */
abstract class Withdrawals extends Topic {

  Withdrawals(Callable<StoreFixture> opener) {
    super(opener);
  }

  @Test
  void removes_the_record_so_that_a_retry_may_run() {
    ClaimRequest inDoubt = request(ID);
    store.granted(inDoubt);

    assertThat(store.withdraw(inDoubt)).isTrue();
    assertThat(store.find(ID)).isEmpty();
    assertThat(store.granted(request(ID, ASKED_OTHERWISE)).attempt()).isEqualTo(1);
  }

  @Test
  void of_a_claim_that_never_arrived_is_false_and_claims_nothing() {
    assertThat(store.withdraw(request(ID))).isFalse();

    assertThat(store.find(ID)).isEmpty();
    assertThat(store.granted(request(ID)).attempt()).isEqualTo(1);
  }

  @Test
  void tried_again_is_false_and_leaves_the_retry_alone() {
    ClaimRequest inDoubt = request(ID);
    store.granted(inDoubt);
    store.withdraw(inDoubt);

    assertThat(store.withdraw(inDoubt)).isFalse();

    store.granted(request(ID));
    OperationRecord retry = agedRecord(ID);

    assertThat(store.withdraw(inDoubt)).isFalse();
    assertThat(store.found(ID)).isEqualTo(retry);
  }

  @Test
  void of_a_claim_that_arrives_after_it_and_again_removes_it() {
    ClaimRequest late = request(ID);
    assertThat(store.withdraw(late)).isFalse();
    store.granted(late);

    assertThat(store.withdraw(late)).isTrue();
    assertThat(store.find(ID)).isEmpty();
  }

  @Test
  void leaves_an_operation_that_another_token_runs() {
    ClaimRequest owner = request(ID);
    Lease lease = store.granted(owner);
    ClaimRequest refused = request(ID);
    store.claim(refused, Busy.class);
    OperationRecord before = agedRecord(ID);

    assertThat(store.withdraw(refused)).isFalse();

    assertThat(store.found(ID)).isEqualTo(before);
    assertThat(store.granted(owner)).isEqualTo(lease);
  }

  @Test
  void leaves_an_operation_that_another_token_took_over() {
    ClaimRequest lost = request(ID);
    store.granted(lost);
    timePasses(LEASE.plus(SLACK));
    Lease taker = store.granted(takeover(ID));
    OperationRecord before = agedRecord(ID);

    assertThat(store.withdraw(lost)).isFalse();

    assertThat(store.found(ID)).isEqualTo(before);
    assertThat(store.complete(taker, ANSWER, RETENTION)).isTrue();
  }

  @Test
  void leaves_an_answer_also_one_of_this_token() {
    ClaimRequest request = request(ID);
    store.complete(store.granted(request), ANSWER, RETENTION);
    OperationRecord before = agedRecord(ID);

    assertThat(store.withdraw(request)).isFalse();

    assertThat(store.found(ID)).isEqualTo(before);
    assertThat(store.claim(request(ID))).isEqualTo(new Finished(ASKED, ANSWER));
  }

  @Test
  void of_a_takeover_removes_the_record() {
    abandoned(ID);
    ClaimRequest inDoubt = takeover(ID);
    store.granted(inDoubt);

    assertThat(store.withdraw(inDoubt)).isTrue();
    assertThat(store.find(ID)).isEmpty();
  }

  @Test
  void after_the_lease_ended_removes_the_record() {
    ClaimRequest inDoubt = request(ID);
    store.granted(inDoubt);
    timePasses(LEASE.plus(SLACK));

    assertThat(store.withdraw(inDoubt)).isTrue();
    assertThat(store.find(ID)).isEmpty();
  }

  @Test
  void of_a_claim_that_was_renewed_removes_the_record() {
    ClaimRequest inDoubt = request(ID);
    assertThat(store.renew(store.granted(inDoubt), LEASE.plus(SLACK))).isTrue();

    assertThat(store.withdraw(inDoubt)).isTrue();
    assertThat(store.find(ID)).isEmpty();
  }

  @Test
  void of_an_expired_claim_is_false() {
    ClaimRequest inDoubt = request(ID);
    store.granted(inDoubt);
    everythingExpires();

    assertThat(store.withdraw(inDoubt)).isFalse();
  }

  @Test
  void of_one_operation_leaves_another_of_the_same_token_as_it_is() {
    ClaimRequest inDoubt = request(ID);
    store.granted(inDoubt);
    store.granted(new ClaimRequest(OTHER, ASKED, inDoubt.token(), LEASE, RETENTION, false));
    OperationRecord before = agedRecord(OTHER);

    assertThat(store.withdraw(inDoubt)).isTrue();

    assertThat(store.found(OTHER)).isEqualTo(before);
  }

  @Test
  void makes_the_withdrawn_lease_one_that_is_not_current() {
    ClaimRequest inDoubt = request(ID);
    Lease withdrawn = store.granted(inDoubt);
    store.withdraw(inDoubt);
    store.granted(request(ID));
    OperationRecord retry = agedRecord(ID);

    assertThat(store.complete(withdrawn, OTHER_ANSWER, RETENTION)).isFalse();
    assertThat(store.renew(withdrawn, LEASE)).isFalse();
    assertThat(store.release(withdrawn)).isFalse();
    assertThat(store.found(ID)).isEqualTo(retry);
  }

  @Test
  void lets_the_next_claim_have_a_higher_fence() {
    ClaimRequest inDoubt = request(ID);
    Lease withdrawn = store.granted(inDoubt);
    store.withdraw(inDoubt);

    assertThat(store.granted(request(ID)).fence()).isGreaterThan(withdrawn.fence());
  }

  @Test
  void lets_the_same_token_have_a_higher_fence_if_it_claims_anew() {
    ClaimRequest inDoubt = request(ID);
    Lease withdrawn = store.granted(inDoubt);
    store.withdraw(inDoubt);

    assertThat(store.granted(inDoubt).fence()).isGreaterThan(withdrawn.fence());
  }

  @Test
  void by_one_handle_removes_what_was_granted_by_another() {
    BlockingStore another = another();
    ClaimRequest inDoubt = request(ID);
    store.granted(inDoubt);

    assertThat(another.withdraw(inDoubt)).isTrue();
    assertThat(store.find(ID)).isEmpty();
    another.granted(request(ID));
  }

  @Test
  void asks_for_no_fingerprint_nor_lease() {
    ClaimRequest inDoubt =
        new ClaimRequest(
            ID, Fingerprint.of("anything"), newToken(), Duration.ofMillis(1), RETENTION, true);
    store.granted(inDoubt);

    assertThat(store.withdraw(inDoubt)).isTrue();
  }

  @TestFactory
  Stream<DynamicTest> may_be_of_any_token() {
    return LongStream.of(0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE)
        .mapToObj(
            token ->
                DynamicTest.dynamicTest(
                    "token " + token,
                    () -> {
                      ClaimRequest inDoubt =
                          new ClaimRequest(
                              id("token " + token), ASKED, token, LEASE, RETENTION, false);
                      store.granted(inDoubt);

                      assertThat(store.withdraw(inDoubt)).isTrue();
                      assertThat(store.find(inDoubt.id())).isEmpty();
                    }));
  }
}
