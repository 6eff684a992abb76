package dev.once.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.once.core.store.Claim.Abandoned;
import dev.once.core.store.Claim.Busy;
import dev.once.core.store.Claim.Finished;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is still there when every process has ended. */
abstract class Durability extends Topic {

  Durability(Callable<StoreFixture> opener) {
    super(opener);
  }

  @BeforeEach
  void assumeDurable() {
    assumeTrue(capabilities().durable(), "this store is not durable");
  }

  @Test
  void has_the_answer_of_a_finished_operation() {
    finished(ID, ANSWER);
    OperationRecord before = store.found(ID);

    reopen();

    assertThat(store.claim(request(ID))).isEqualTo(new Finished(ASKED, ANSWER));
    assertThat(store.found(ID)).isEqualTo(before);
  }

  @Test
  void has_a_running_operation_and_its_owner() {
    Lease lease = store.granted(request(ID));
    OperationRecord before = store.found(ID);

    reopen();

    assertThat(store.found(ID)).isEqualTo(before);
    assertThat(store.claim(request(ID), Busy.class).fingerprint()).isEqualTo(ASKED);
    assertThat(store.renew(lease, LEASE)).isTrue();
    assertThat(store.complete(lease, ANSWER, RETENTION)).isTrue();
  }

  @Test
  void has_the_token_of_a_claim() {
    ClaimRequest request = request(ID);
    Lease lease = store.granted(request);

    reopen();

    assertThat(store.granted(request)).isEqualTo(lease);
  }

  @Test
  void has_an_abandoned_operation() {
    Lease lost = abandoned(ID);

    reopen();

    assertThat(store.claim(request(ID))).isEqualTo(new Abandoned(ASKED, lost.fence()));
    assertThat(store.granted(takeover(ID)).attempt()).isEqualTo(2);
  }

  @Test
  void has_no_operation_that_was_released_or_has_expired() {
    finished(OTHER, ANSWER);
    everythingExpires();
    store.release(store.granted(request(ID)));

    reopen();

    assertThat(store.find(ID)).isEmpty();
    assertThat(store.find(OTHER)).isEmpty();
  }

  @Test
  void still_refuses_an_earlier_owner() {
    Lease lost = abandoned(ID);
    store.granted(takeover(ID));

    reopen();

    assertThat(store.complete(lost, ANSWER, RETENTION)).isFalse();
  }

  private void reopen() {
    store = new BlockingStore(fixture.reopened());
  }
}
