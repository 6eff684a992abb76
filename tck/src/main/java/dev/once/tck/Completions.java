package dev.once.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.store.Claim.Finished;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.OperationRecord.Status;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** How an operation ends. */
abstract class Completions extends Topic {

  Completions(Callable<StoreFixture> opener) {
    super(opener);
  }

  @Test
  void records_the_answer() {
    Lease lease = store.granted(request(ID));

    assertThat(store.complete(lease, ANSWER, RETENTION)).isTrue();
    assertThat(store.claim(request(ID))).isEqualTo(new Finished(ASKED, ANSWER));
  }

  @Test
  void is_true_again_when_tried_again_and_changes_nothing() {
    Lease lease = finished(ID, ANSWER);
    OperationRecord before = agedRecord(ID);

    assertThat(store.complete(lease, ANSWER, RETENTION.multipliedBy(2))).isTrue();
    assertThat(store.found(ID)).isEqualTo(before);
  }

  @Test
  void never_changes_a_recorded_answer() {
    Lease lease = finished(ID, ANSWER);
    OperationRecord before = agedRecord(ID);

    assertThat(store.complete(lease, OTHER_ANSWER, RETENTION)).isTrue();
    assertThat(store.found(ID)).isEqualTo(before);
    assertThat(store.claim(request(ID))).isEqualTo(new Finished(ASKED, ANSWER));
  }

  @Test
  void is_false_after_a_takeover_and_leaves_the_taker_alone() {
    Lease lost = abandoned(ID);
    Lease taker = store.granted(takeover(ID));

    assertThat(store.complete(lost, OTHER_ANSWER, RETENTION)).isFalse();
    assertThat(store.complete(taker, ANSWER, RETENTION)).isTrue();
    assertThat(store.complete(lost, OTHER_ANSWER, RETENTION)).isFalse();
    assertThat(store.claim(request(ID))).isEqualTo(new Finished(ASKED, ANSWER));
  }

  @Test
  void cannot_be_undone_by_a_release() {
    Lease lease = finished(ID, ANSWER);
    OperationRecord before = agedRecord(ID);

    assertThat(store.release(lease)).isFalse();
    assertThat(store.found(ID)).isEqualTo(before);
  }

  @Test
  void cannot_be_prolonged_by_a_renewal() {
    Lease lease = finished(ID, ANSWER);
    OperationRecord before = agedRecord(ID);

    assertThat(store.renew(lease, LEASE.multipliedBy(2))).isFalse();
    assertThat(store.found(ID)).isEqualTo(before);
  }

  @Test
  void with_success_is_done() {
    finished(ID, Answer.success(200, Body.EMPTY));

    assertThat(store.found(ID).status()).isEqualTo(Status.DONE);
  }

  @Test
  void with_a_rejection_is_failed() {
    finished(ID, Answer.rejection(400, Body.EMPTY));

    assertThat(store.found(ID).status()).isEqualTo(Status.FAILED);
  }

  @Test
  void with_a_failure_is_failed() {
    finished(ID, Answer.failure(500, Body.EMPTY));

    assertThat(store.found(ID).status()).isEqualTo(Status.FAILED);
  }

  @Test
  void of_one_operation_leaves_others_as_they_are() {
    store.granted(request(OTHER));
    OperationRecord before = agedRecord(OTHER);

    finished(ID, ANSWER);

    assertThat(store.found(OTHER)).isEqualTo(before);
  }
}
