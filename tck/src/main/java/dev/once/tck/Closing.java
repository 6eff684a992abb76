package dev.once.tck;

import static dev.once.tck.BlockingStore.outcome;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.once.core.store.Claim;
import dev.once.core.store.Claim.Busy;
import dev.once.core.store.Lease;
import dev.once.core.store.Store;
import dev.once.core.store.StoreClosedException;
import dev.once.core.store.StoreException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What a store does at its end, and after. */
abstract class Closing extends Topic {

  Closing(Callable<StoreFixture> opener) {
    super(opener);
  }

  @TestFactory
  Stream<DynamicTest> makes_each_further_step_fail() {
    Lease lease = store.granted(request(ID));
    Store closed = store.store();
    closed.close();

    Map<String, Supplier<CompletionStage<?>>> steps = new LinkedHashMap<>();
    steps.put("claim", () -> closed.claim(request(OTHER)));
    steps.put("complete", () -> closed.complete(lease, ANSWER, RETENTION));
    steps.put("release", () -> closed.release(lease));
    steps.put("withdraw", () -> closed.withdraw(ID, newToken()));
    steps.put("renew", () -> closed.renew(lease, LEASE));
    steps.put("purgeExpired", () -> closed.purgeExpired(1));
    steps.put("find", () -> closed.inspection().find(ID));
    steps.put("count", () -> closed.inspection().count());
    steps.put("forceRelease", () -> closed.inspection().forceRelease(ID, lease.fence()));
    return steps.entrySet().stream()
        .map(
            step ->
                dynamicTest(
                    step.getKey(),
                    () ->
                        assertThat(outcome(step.getValue()))
                            .isInstanceOf(StoreClosedException.class)));
  }

  @Test
  void twice_is_fine() {
    store.store().close();
    store.store().close();

    assertThat(outcome(() -> store.store().claim(request(ID)))).isInstanceOf(StoreException.class);
  }

  @Test
  void of_one_handle_leaves_another_open() {
    BlockingStore another = another();
    Lease lease = store.granted(request(ID));

    store.store().close();

    another.claim(request(ID), Busy.class);
    assertThat(another.complete(lease, ANSWER, RETENTION)).isTrue();
  }

  @Test
  void leaves_no_step_without_a_reply() {
    Store closing = store.store();
    List<CompletionStage<Claim>> sent =
        IntStream.range(0, 100).mapToObj(i -> closing.claim(request(id("key " + i)))).toList();

    closing.close();

    assertThat(sent)
        .allSatisfy(
            stage ->
                assertThat(outcome(() -> stage))
                    .isInstanceOfAny(Claim.Granted.class, StoreException.class));
  }
}
