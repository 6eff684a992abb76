package dev.once.tck;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.Store.Watch;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * When waiting duplicates are woken. One wake-up may get lost, by contract, and a test may not fail
 * for that; a store that loses a number of them in a row does not implement it.
 */
abstract class WakeUps extends Topic {

  private static final int TRIES = 10;
  private static final int SOON_SECONDS = 3;

  WakeUps(Callable<StoreFixture> opener) {
    super(opener);
  }

  @Test
  void come_after_a_completion() throws InterruptedException {
    assertWokenBy(lease -> store.complete(lease, ANSWER, RETENTION));
  }

  @Test
  void come_after_a_release() throws InterruptedException {
    assertWokenBy(lease -> store.release(lease));
  }

  @Test
  void come_after_a_withdrawal() throws InterruptedException {
    assertWokenBy((request, lease) -> store.withdraw(request));
  }

  @Test
  void come_from_another_handle() throws InterruptedException {
    BlockingStore another = another();
    assertWokenBy(lease -> another.complete(lease, ANSWER, RETENTION));
  }

  @Test
  void come_to_one_watch_when_another_of_the_same_operation_is_closed()
      throws InterruptedException {
    assertWokenBy(
        lease -> {
          store.store().watch(lease.id(), () -> {}).close();
          store.complete(lease, ANSWER, RETENTION);
        });
  }

  @Test
  void never_come_from_a_store_that_has_none() {
    assumeFalse(capabilities().wakeUp(), "this store wakes up");
    AtomicInteger woken = new AtomicInteger();
    Lease lease = store.granted(request(ID));

    try (Watch watch = store.store().watch(ID, woken::incrementAndGet)) {
      store.complete(lease, ANSWER, RETENTION);
    }

    assertThat(woken).hasValue(0);
  }

  private void assertWokenBy(Consumer<Lease> end) throws InterruptedException {
    assertWokenBy((request, lease) -> end.accept(lease));
  }

  private void assertWokenBy(BiConsumer<ClaimRequest, Lease> end) throws InterruptedException {
    assumeTrue(capabilities().wakeUp(), "this store does not wake up");
    Semaphore woken = new Semaphore(0);
    boolean heard = false;
    for (int i = 0; i < TRIES && !heard; i++) {
      ClaimRequest request = request(id("try " + i));
      Lease lease = store.granted(request);
      try (Watch watch = store.store().watch(lease.id(), woken::release)) {
        end.accept(request, lease);
        heard = woken.tryAcquire(SOON_SECONDS, SECONDS);
      }
    }
    assertThat(heard).as("one of " + TRIES + " watches was woken").isTrue();
  }
}
