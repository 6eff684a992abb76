package dev.once.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.once.core.store.Claim.Abandoned;
import dev.once.core.store.Claim.Busy;
import dev.once.core.store.Claim.Finished;
import dev.once.core.store.OperationRecord;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How expired records are deleted. */
abstract class Purges extends Topic {

  Purges(Callable<StoreFixture> opener) {
    super(opener);
  }

  @Test
  void of_an_empty_store_deletes_nothing() {
    assertThat(store.purgeExpired(10)).isZero();
  }

  @Test
  void deletes_no_record_that_is_not_expired() {
    abandoned(id("abandoned"));
    store.granted(request(id("running")));
    finished(id("done"), ANSWER);
    finished(id("failed"), OTHER_ANSWER);
    List<OperationRecord> before = records("abandoned", "running", "done", "failed");

    assertThat(store.purgeExpired(10)).isZero();

    assertThat(records("abandoned", "running", "done", "failed")).isEqualTo(before);
    store.claim(request(id("abandoned")), Abandoned.class);
    store.claim(request(id("running")), Busy.class);
    store.claim(request(id("done")), Finished.class);
    store.claim(request(id("failed")), Finished.class);
  }

  @Test
  void deletes_no_running_operation_however_short_its_retention() {
    store.granted(request(ID, RETENTION, Duration.ofMinutes(1)));
    timePasses(RETENTION.minus(SLACK));

    assertThat(store.purgeExpired(10)).isZero();
    store.claim(request(ID), Busy.class);
  }

  @Test
  void deletes_expired_records_of_each_state_and_says_how_many() {
    assumeItPurges();
    store.granted(request(id("running")));
    finished(id("done"), ANSWER);
    finished(id("failed"), OTHER_ANSWER);
    everythingExpires();
    finished(id("live"), ANSWER);

    assertThat(store.purgeExpired(10)).isEqualTo(3);
    assertThat(store.purgeExpired(10)).isZero();
    store.claim(request(id("live")), Finished.class);
  }

  @Test
  void deletes_at_most_as_many_as_asked_for() {
    assumeItPurges();
    expired(7);

    assertThat(store.purgeExpired(3)).isEqualTo(3);
    assertThat(store.purgeExpired(3)).isEqualTo(3);
    assertThat(store.purgeExpired(3)).isEqualTo(1);
    assertThat(store.purgeExpired(3)).isZero();
  }

  @Test
  void does_not_count_an_expired_record_that_was_claimed_anew() {
    assumeItPurges();
    expired(3);
    store.granted(request(id("expired 1")));

    assertThat(store.purgeExpired(10)).isEqualTo(2);
    store.claim(request(id("expired 1")), Busy.class);
  }

  @Test
  void counts_each_record_once_when_two_handles_purge_at_once() {
    BlockingStore another = another();
    assumeItPurges();
    expired(200);

    List<Integer> deleted = Race.run(List.of(purgeAllOf(store), purgeAllOf(another)));

    assertThat(deleted.get(0) + deleted.get(1)).isEqualTo(200);
  }

  @Test
  void counts_each_record_once_when_two_threads_purge_at_once() {
    assumeItPurges();
    expired(200);

    List<Integer> deleted = Race.run(List.of(purgeAllOf(store), purgeAllOf(store)));

    assertThat(deleted.get(0) + deleted.get(1)).isEqualTo(200);
  }

  private static Supplier<Integer> purgeAllOf(BlockingStore handle) {
    return () -> {
      int sum = 0;
      for (int deleted = handle.purgeExpired(7); deleted > 0; deleted = handle.purgeExpired(7)) {
        sum += deleted;
      }
      return sum;
    };
  }

  private void expired(int number) {
    IntStream.range(0, number).forEach(i -> finished(id("expired " + i), ANSWER));
    everythingExpires();
  }

  private List<OperationRecord> records(String... keys) {
    return Stream.of(keys).map(key -> store.found(id(key))).toList();
  }

  private void assumeItPurges() {
    assumeFalse(fixture.purgesByItself(), "this store deletes expired records by itself");
  }
}
