package dev.once.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.once.core.OperationId;
import dev.once.core.store.Claim.Abandoned;
import dev.once.core.store.Claim.Busy;
import dev.once.core.store.Claim.Finished;
import dev.once.core.store.Inspection.Counts;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** How long a record is there. None of these tests purges: an expired record is absent anyway. */
abstract class Retention extends Topic {

  private static final Duration SHORT = Duration.ofMinutes(10);

  Retention(Callable<StoreFixture> opener) {
    super(opener);
  }

  @Test
  void keeps_an_answer_until_it_is_over_and_then_the_key_is_new() {
    finished(ID, ANSWER);
    timePasses(RETENTION.minus(SLACK));

    assertThat(store.claim(request(ID))).isEqualTo(new Finished(ASKED, ANSWER));

    timePasses(SLACK.multipliedBy(2));

    assertThat(store.granted(request(ID, ASKED_OTHERWISE)).attempt()).isEqualTo(1);
  }

  @Test
  void of_an_answer_counts_from_its_completion_and_not_from_the_claim() {
    Lease lease = store.granted(request(ID, LEASE, SHORT));
    timePasses(LEASE.minus(SLACK));
    store.complete(lease, ANSWER, LEASE);
    timePasses(LEASE.minus(SLACK));

    store.claim(request(ID), Finished.class);

    timePasses(SLACK.multipliedBy(2));

    store.granted(request(ID));
  }

  @Test
  void that_remains_is_told_with_the_answer_by_a_store_that_tells_it() {
    finished(ID, ANSWER);
    timePasses(SLACK.multipliedBy(2));

    Duration remaining = store.claim(request(ID), Finished.class).remaining();

    assumeFalse(remaining.isZero(), "this store does not tell how much longer a record is kept");
    assertThat(remaining).isBetween(RETENTION.minus(SLACK.multipliedBy(3)), RETENTION.minus(SLACK));
  }

  @Test
  void is_not_prolonged_by_replays() {
    finished(ID, ANSWER);
    timePasses(RETENTION.minus(SLACK));
    store.claim(request(ID), Finished.class);
    timePasses(SLACK.multipliedBy(2));

    store.granted(request(ID));
  }

  @Test
  void never_ends_a_running_operation_however_short_it_is() {
    Lease lease = store.granted(request(ID, RETENTION, SHORT));
    timePasses(RETENTION.minus(SLACK));

    store.claim(request(ID), Busy.class);
    assertThat(store.complete(lease, ANSWER, RETENTION)).isTrue();
  }

  @Test
  void never_ends_an_operation_that_is_renewed_for_many_times_its_length() {
    Lease lease = store.granted(request(ID, LEASE, SHORT));
    for (int i = 0; i < 20; i++) {
      timePasses(LEASE.minus(SLACK));
      assertThat(store.renew(lease, LEASE)).isTrue();
    }
    timePasses(LEASE.minus(SLACK));

    store.claim(request(ID), Busy.class);
    assertThat(store.complete(lease, ANSWER, RETENTION)).isTrue();
  }

  @Test
  void of_a_renewed_operation_counts_from_the_new_end_of_its_lease() {
    Lease lease = store.granted(request(ID));
    Duration longer = LEASE.multipliedBy(10);
    store.renew(lease, longer);

    OperationRecord record = store.found(ID);

    // It was asked for before it was renewed, however long that took.
    assertThat(Duration.between(record.requestedAt(), record.leaseEnds()))
        .isBetween(longer.minusSeconds(1), longer.plus(SLACK));
    assertBetween(record.leaseEnds(), record.expiresAt(), RETENTION);
  }

  @Test
  void keeps_an_abandoned_operation_visible_after_its_lease() {
    Lease lost = abandoned(ID);
    timePasses(RETENTION.minus(SLACK.multipliedBy(2)));

    assertThat(store.claim(request(ID))).isEqualTo(new Abandoned(ASKED, lost.fence()));
    assertThat(store.found(ID).lease()).isEqualTo(lost);
    assertThat(store.count()).isEqualTo(new Counts(1, 1, 0, 0));
  }

  @Test
  void lets_the_key_of_an_abandoned_operation_be_new_when_it_is_over() {
    store.granted(request(ID));
    everythingExpires();

    assertThat(store.granted(request(ID, ASKED_OTHERWISE)).attempt()).isEqualTo(1);
  }

  @Test
  void when_over_refuses_the_owner_of_an_abandoned_operation() {
    Lease lost = store.granted(request(ID));
    everythingExpires();

    assertThat(store.renew(lost, LEASE)).isFalse();
    assertThat(store.release(lost)).isFalse();
    assertThat(store.complete(lost, ANSWER, RETENTION)).isFalse();
    assertThat(store.find(ID)).isEmpty();
  }

  @Test
  void when_over_refuses_a_second_try_of_the_completion() {
    Lease lease = finished(ID, ANSWER);
    everythingExpires();

    assertThat(store.complete(lease, ANSWER, RETENTION)).isFalse();
    assertThat(store.find(ID)).isEmpty();
  }

  @Test
  void when_over_leaves_nothing_for_people_to_see_or_release() {
    Lease answered = finished(ID, ANSWER);
    Lease lost = store.granted(request(OTHER));
    everythingExpires();

    for (Lease lease : new Lease[] {answered, lost}) {
      OperationId id = lease.id();
      assertThat(store.find(id)).isEmpty();
      assertThat(store.forceRelease(id, lease.fence())).isFalse();
    }
    assertThat(store.count()).isEqualTo(new Counts(0, 0, 0, 0));
  }

  @Test
  void may_be_as_short_as_a_millisecond() {
    Duration shortest = Duration.ofMillis(1);

    Lease lease = store.granted(request(ID, shortest, LEASE));
    assertThat(store.renew(lease, shortest)).isTrue();
    assertThat(store.complete(lease, ANSWER, shortest)).isTrue();
    timePasses(SLACK);

    store.granted(request(ID, shortest, shortest));
    timePasses(SLACK);

    store.granted(request(ID));
  }

  @Test
  void may_be_as_long_as_ten_years() {
    Duration longest = Duration.ofDays(3650);

    Lease lease = store.granted(request(ID, longest, longest));
    timePasses(longest.minus(SLACK));
    assertThat(store.renew(lease, longest)).isTrue();
    timePasses(longest.minus(SLACK));
    store.claim(request(ID), Busy.class);

    assertThat(store.complete(lease, ANSWER, longest)).isTrue();
    timePasses(longest.minus(SLACK));
    store.claim(request(ID), Finished.class);
  }
}
