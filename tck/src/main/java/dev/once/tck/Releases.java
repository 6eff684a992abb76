package dev.once.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** How an operation is given back. */
abstract class Releases extends Topic {

  Releases(Callable<StoreFixture> opener) {
    super(opener);
  }

  @Test
  void removes_the_record_so_that_a_retry_may_run() {
    Lease lease = store.granted(request(ID));

    assertThat(store.release(lease)).isTrue();
    assertThat(store.find(ID)).isEmpty();
    store.granted(request(ID));
  }

  @Test
  void tried_again_is_false_and_leaves_the_retry_alone() {
    Lease lease = store.granted(request(ID));
    store.release(lease);

    assertThat(store.release(lease)).isFalse();

    store.granted(request(ID));
    OperationRecord retry = agedRecord(ID);

    assertThat(store.release(lease)).isFalse();
    assertThat(store.found(ID)).isEqualTo(retry);
  }

  @Test
  void of_one_operation_leaves_others_as_they_are() {
    store.granted(request(OTHER));
    OperationRecord before = agedRecord(OTHER);

    store.release(store.granted(request(ID)));

    assertThat(store.found(OTHER)).isEqualTo(before);
  }
}
