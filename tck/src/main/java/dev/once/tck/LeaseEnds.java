package dev.once.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Fingerprint;
import dev.once.core.store.Claim.Abandoned;
import dev.once.core.store.Claim.Busy;
import dev.once.core.store.Claim.Finished;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** What an operation is whose owner has not renewed in time. */
abstract class LeaseEnds extends Topic {

  LeaseEnds(Callable<StoreFixture> opener) {
    super(opener);
  }

  @Test
  void leaves_the_operation_abandoned_with_the_fingerprint_and_fence_of_its_owner() {
    Lease lost = abandoned(ID);

    assertThat(store.claim(request(ID, ASKED_OTHERWISE)))
        .isEqualTo(new Abandoned(ASKED, lost.fence()));
  }

  @Test
  void is_taken_over_with_the_next_attempt_where_the_claim_allows_it() {
    abandoned(ID);

    assertThat(store.granted(takeover(ID)).attempt()).isEqualTo(2);

    timePasses(LEASE.plus(SLACK));

    assertThat(store.granted(takeover(ID)).attempt()).isEqualTo(3);
  }

  @Test
  void gives_the_taker_a_lease_and_an_expiry_of_its_own() {
    store.granted(request(ID, LEASE, Duration.ofMinutes(30)));
    timePasses(LEASE.plus(SLACK));

    Lease taker = store.granted(takeover(ID));

    OperationRecord record = store.found(ID);
    assertThat(record.lease()).isEqualTo(taker);
    assertBetween(record.leaseEnds(), record.expiresAt(), RETENTION);
    assertThat(store.claim(request(ID), Busy.class).leaseRemaining())
        .isGreaterThan(LEASE.minus(SLACK));
  }

  @Test
  void lets_the_taker_record_its_answer() {
    abandoned(ID);
    Lease taker = store.granted(takeover(ID));

    assertThat(store.complete(taker, ANSWER, RETENTION)).isTrue();
    assertThat(store.claim(request(ID))).isEqualTo(new Finished(ASKED, ANSWER));
  }

  @Test
  void is_not_taken_over_by_a_claim_that_asks_something_else() {
    Lease lost = abandoned(ID);
    OperationRecord before = agedRecord(ID);

    assertThat(store.claim(takeover(ID, ASKED_OTHERWISE)))
        .isEqualTo(new Abandoned(ASKED, lost.fence()));
    assertThat(store.found(ID)).isEqualTo(before);
  }

  @Test
  void is_not_taken_over_by_a_fingerprint_of_another_version() {
    abandoned(ID);
    Fingerprint otherVersion = new Fingerprint((byte) (ASKED.version() + 1), ASKED.hash());

    assertThat(store.claim(takeover(ID, otherVersion), Abandoned.class).fingerprint())
        .isEqualTo(ASKED);
  }

  @Test
  void comes_later_after_a_renewal() {
    Lease lease = store.granted(request(ID));
    timePasses(LEASE.dividedBy(2));
    assertThat(store.renew(lease, LEASE)).isTrue();
    timePasses(LEASE.dividedBy(2).plus(SLACK));

    store.claim(takeover(ID), Busy.class);

    timePasses(LEASE.dividedBy(2));

    store.claim(request(ID), Abandoned.class);
  }

  @Test
  void comes_earlier_after_a_renewal_for_a_shorter_time() {
    Lease lease = store.granted(request(ID));
    assertThat(store.renew(lease, SLACK)).isTrue();
    timePasses(SLACK.multipliedBy(2));

    store.claim(request(ID), Abandoned.class);
  }

  @Test
  void can_be_undone_by_the_owner_until_somebody_takes_over() {
    Lease lease = abandoned(ID);

    assertThat(store.renew(lease, LEASE)).isTrue();
    store.claim(takeover(ID), Busy.class);
  }

  @Test
  void does_not_keep_the_owner_from_completing_until_somebody_takes_over() {
    Lease lease = abandoned(ID);

    assertThat(store.complete(lease, ANSWER, RETENTION)).isTrue();
    assertThat(store.claim(takeover(ID))).isEqualTo(new Finished(ASKED, ANSWER));
  }

  @Test
  void does_not_keep_the_owner_from_releasing_until_somebody_takes_over() {
    Lease lease = abandoned(ID);

    assertThat(store.release(lease)).isTrue();
    assertThat(store.find(ID)).isEmpty();
  }

  @Test
  void does_not_keep_the_owner_from_completing_after_a_claim_that_did_not_take_over() {
    Lease lease = abandoned(ID);
    store.claim(request(ID), Abandoned.class);
    store.claim(takeover(ID, ASKED_OTHERWISE), Abandoned.class);

    assertThat(store.complete(lease, ANSWER, RETENTION)).isTrue();
  }
}
