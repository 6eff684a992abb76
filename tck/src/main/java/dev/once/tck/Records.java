package dev.once.tck;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Fence;
import dev.once.core.store.Claim.Abandoned;
import dev.once.core.store.Claim.Finished;
import dev.once.core.store.Inspection.Counts;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.OperationRecord.Status;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** What people see of an operation, and what they can do about it. */
abstract class Records extends Topic {

  Records(Callable<StoreFixture> opener) {
    super(opener);
  }

  @Test
  void is_not_there_before_the_first_claim() {
    assertThat(store.find(ID)).isEmpty();
    assertThat(store.count()).isEqualTo(new Counts(0, 0, 0, 0));
  }

  @Test
  void of_a_running_operation_tells_who_runs_it_and_until_when() {
    Lease lease = store.granted(request(ID));

    OperationRecord record = store.found(ID);

    assertThat(record.lease()).isEqualTo(lease);
    assertThat(record.fingerprint()).isEqualTo(ASKED);
    assertThat(record.status()).isEqualTo(Status.PROCESSING);
    assertThat(record.answer()).isNull();
    assertThat(record.completedAt()).isNull();
    assertThat(record.duration()).isNull();
    assertBetween(record.requestedAt(), record.leaseEnds(), LEASE);
    assertBetween(record.leaseEnds(), record.expiresAt(), RETENTION);
  }

  @Test
  void of_a_finished_operation_tells_the_answer_and_how_long_it_took() {
    Lease lease = store.granted(request(ID));
    Duration some = LEASE.dividedBy(3);
    timePasses(some);
    OperationRecord running = store.found(ID);
    Duration kept = RETENTION.multipliedBy(3);
    store.complete(lease, ANSWER, kept);

    OperationRecord record = store.found(ID);

    assertThat(record.lease()).isEqualTo(lease);
    assertThat(record.fingerprint()).isEqualTo(ASKED);
    assertThat(record.status()).isEqualTo(Status.DONE);
    assertThat(record.answer()).isEqualTo(ANSWER);
    assertThat(record.requestedAt()).isEqualTo(running.requestedAt());
    assertBetween(requireNonNull(record.completedAt()), record.expiresAt(), kept);
    assertThat(record.duration()).isBetween(some, some.plus(SLACK));
  }

  @Test
  void keeps_the_time_of_the_request_over_a_takeover() {
    abandoned(ID);
    OperationRecord abandoned = store.found(ID);

    Lease taker = store.granted(takeover(ID));

    OperationRecord takenOver = store.found(ID);
    assertThat(takenOver.lease()).isEqualTo(taker);
    assertThat(takenOver.requestedAt()).isEqualTo(abandoned.requestedAt());
    assertThat(takenOver.leaseEnds()).isAfter(abandoned.leaseEnds());
  }

  @Test
  void keeps_all_but_the_lease_end_and_the_expiry_over_a_renewal() {
    Lease lease = store.granted(request(ID));
    timePasses(LEASE.dividedBy(3));
    OperationRecord before = store.found(ID);

    store.renew(lease, LEASE);

    OperationRecord after = store.found(ID);
    assertThat(after.leaseEnds()).isAfter(before.leaseEnds());
    assertThat(after.expiresAt()).isAfter(before.expiresAt());
    assertThat(after)
        .isEqualTo(
            new OperationRecord(
                before.lease(),
                before.fingerprint(),
                before.status(),
                before.requestedAt(),
                after.leaseEnds(),
                null,
                after.expiresAt(),
                null));
  }

  @Test
  void of_a_second_life_has_a_time_of_request_of_its_own() {
    store.granted(request(ID));
    timePasses(LEASE.dividedBy(3));
    OperationRecord first = store.found(ID);
    store.forceRelease(ID, first.lease().fence());

    store.granted(request(ID));

    assertThat(store.found(ID).requestedAt()).isAfter(first.requestedAt());
  }

  @Test
  void is_counted_by_its_state() {
    abandoned(id("abandoned"));
    store.granted(request(id("running")));
    store.granted(request(id("running too")));
    finished(id("done"), ANSWER);
    finished(id("failed"), OTHER_ANSWER);
    finished(id("failed too"), OTHER_ANSWER);
    store.release(store.granted(request(id("released"))));

    assertThat(store.count()).isEqualTo(new Counts(3, 1, 1, 2));
  }

  @Test
  void of_an_operation_that_still_runs_can_be_released_by_force() {
    Lease lease = store.granted(request(ID));

    assertThat(store.forceRelease(ID, lease.fence())).isTrue();
    assertThat(store.find(ID)).isEmpty();
    assertThat(store.complete(lease, ANSWER, RETENTION)).isFalse();
    assertThat(store.find(ID)).isEmpty();
    store.granted(request(ID));
  }

  @Test
  void of_an_abandoned_operation_can_be_released_by_force() {
    abandoned(ID);
    Fence seen = store.claim(request(ID), Abandoned.class).fence();

    assertThat(store.forceRelease(ID, seen)).isTrue();
    assertThat(store.granted(request(ID)).attempt()).isEqualTo(1);
  }

  @Test
  void of_a_finished_operation_can_be_released_by_force() {
    Lease lease = finished(ID, ANSWER);

    assertThat(store.forceRelease(ID, lease.fence())).isTrue();
    assertThat(store.find(ID)).isEmpty();
    store.granted(request(ID));
  }

  @Test
  void is_not_released_by_force_with_a_fence_that_is_not_its_own() {
    Lease lost = abandoned(ID);
    Lease taker = store.granted(takeover(ID));
    OperationRecord before = agedRecord(ID);

    assertThat(store.forceRelease(ID, lost.fence())).isFalse();
    assertThat(store.forceRelease(ID, new Fence(taker.fence().value() + 1))).isFalse();
    assertThat(store.found(ID)).isEqualTo(before);
  }

  @Test
  void that_is_released_by_force_is_no_longer_there_to_release() {
    Lease lease = finished(ID, ANSWER);
    store.forceRelease(ID, lease.fence());

    assertThat(store.forceRelease(ID, lease.fence())).isFalse();
  }

  @Test
  void of_one_operation_stays_when_another_is_released_by_force() {
    finished(OTHER, ANSWER);
    Lease lease = store.granted(request(ID));

    store.forceRelease(ID, lease.fence());

    store.claim(request(OTHER), Finished.class);
  }
}
