package dev.once.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.once.core.Fence;
import dev.once.core.OperationId;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** That each grant has a higher fence than any before it, and that only the last one counts. */
abstract class Fences extends Topic {

  Fences(Callable<StoreFixture> opener) {
    super(opener);
  }

  @Test
  void grows_over_a_release() {
    Lease lease = store.granted(request(ID));
    store.release(lease);

    assertThat(store.granted(request(ID)).fence()).isGreaterThan(lease.fence());
  }

  @Test
  void grows_over_many_releases() {
    Fence highest = store.granted(request(ID)).fence();
    for (int i = 0; i < 50; i++) {
      store.forceRelease(ID, highest);
      Fence next = store.granted(request(ID)).fence();
      assertThat(next).isGreaterThan(highest);
      highest = next;
    }
  }

  @Test
  void grows_over_the_expiry_of_an_answer() {
    Lease lease = finished(ID, ANSWER);
    everythingExpires();

    assertThat(store.granted(request(ID)).fence()).isGreaterThan(lease.fence());
  }

  @Test
  void grows_over_the_expiry_of_an_abandoned_operation() {
    Lease lease = abandoned(ID);
    everythingExpires();

    assertThat(store.granted(request(ID)).fence()).isGreaterThan(lease.fence());
  }

  @Test
  void grows_over_a_purge() {
    Lease lease = finished(ID, ANSWER);
    everythingExpires();
    store.purgeExpired(10);

    assertThat(store.granted(request(ID)).fence()).isGreaterThan(lease.fence());
  }

  @Test
  void grows_over_each_takeover() {
    Lease first = abandoned(ID);
    Lease second = store.granted(takeover(ID));
    timePasses(LEASE.plus(SLACK));
    Lease third = store.granted(takeover(ID));

    assertThat(second.fence()).isGreaterThan(first.fence());
    assertThat(third.fence()).isGreaterThan(second.fence());
  }

  @Test
  void grows_over_a_forced_release() {
    Lease lease = finished(ID, ANSWER);
    store.forceRelease(ID, lease.fence());

    assertThat(store.granted(request(ID)).fence()).isGreaterThan(lease.fence());
  }

  @Test
  void grows_over_a_reopening_of_the_store() {
    assumeTrue(capabilities().durable(), "this store is not durable");
    Lease lease = store.granted(request(ID));
    store.release(lease);
    Lease purged = finished(OTHER, ANSWER);
    everythingExpires();
    store.purgeExpired(10);

    store = new BlockingStore(fixture.reopened());

    assertThat(store.granted(request(ID)).fence()).isGreaterThan(lease.fence());
    assertThat(store.granted(request(OTHER)).fence()).isGreaterThan(purged.fence());
  }

  @Test
  void grows_from_one_handle_to_another() {
    BlockingStore another = another();
    Fence highest = new Fence(1);
    for (int i = 0; i < 20; i++) {
      BlockingStore handle = i % 2 == 0 ? another : store;
      Lease lease = handle.granted(request(ID));
      assertThat(lease.fence()).isGreaterThanOrEqualTo(highest);
      highest = new Fence(lease.fence().value() + 1);
      assertThat(handle.release(lease)).isTrue();
    }
  }

  @TestFactory
  List<DynamicTest> of_an_earlier_owner_is_refused_and_changes_nothing() {
    Map<String, Function<OperationId, Lease>> losses = new LinkedHashMap<>();
    losses.put("after a takeover", this::lostByTakeover);
    losses.put("after its release", this::lostByRelease);
    losses.put("after its release and another claim", this::lostByReleaseAndClaim);
    losses.put("after its expiry", this::lostByExpiry);
    losses.put("after its expiry and another claim", this::lostByExpiryAndClaim);
    losses.put("after a forced release", this::lostByForce);
    losses.put("after a forced release and another claim", this::lostByForceAndClaim);
    losses.put("after another claim has an answer", this::lostToAnAnswer);

    List<DynamicTest> tests = new ArrayList<>();
    losses.forEach(
        (when, loss) ->
            steps()
                .forEach(
                    (name, step) -> {
                      String test = name + " " + when;
                      tests.add(
                          DynamicTest.dynamicTest(test, () -> isRefused(step, id(test), loss)));
                    }));
    return tests;
  }

  @TestFactory
  List<DynamicTest> that_was_never_granted_is_refused_and_changes_nothing() {
    List<DynamicTest> tests = new ArrayList<>();
    steps()
        .forEach(
            (name, step) -> {
              tests.add(
                  DynamicTest.dynamicTest(
                      name + " with a higher fence",
                      () -> isRefused(step, id(name + " higher"), this::higherThanGranted)));
              tests.add(
                  DynamicTest.dynamicTest(
                      name + " of an operation that has no record",
                      () ->
                          isRefused(
                              step, id(name + " absent"), id -> new Lease(id, new Fence(1), 1))));
            });
    return tests;
  }

  private Map<String, Predicate<Lease>> steps() {
    Map<String, Predicate<Lease>> steps = new LinkedHashMap<>();
    steps.put("complete", lease -> store.complete(lease, OTHER_ANSWER, RETENTION));
    steps.put("release", lease -> store.release(lease));
    steps.put("renew", lease -> store.renew(lease, LEASE));
    return steps;
  }

  private void isRefused(
      Predicate<Lease> step, OperationId id, Function<OperationId, Lease> situation) {
    Lease notCurrent = situation.apply(id);
    timePasses(SLACK); // What is written from here on has another time in it.
    Optional<OperationRecord> before = store.find(id);

    assertThat(step.test(notCurrent)).isFalse();

    assertThat(store.find(id)).isEqualTo(before);
  }

  private Lease lostByTakeover(OperationId id) {
    Lease lost = abandoned(id);
    store.granted(takeover(id));
    return lost;
  }

  private Lease lostByRelease(OperationId id) {
    Lease lost = store.granted(request(id));
    store.release(lost);
    return lost;
  }

  private Lease lostByReleaseAndClaim(OperationId id) {
    Lease lost = lostByRelease(id);
    store.granted(request(id));
    return lost;
  }

  private Lease lostByExpiry(OperationId id) {
    Lease lost = store.granted(request(id));
    everythingExpires();
    return lost;
  }

  private Lease lostByExpiryAndClaim(OperationId id) {
    Lease lost = lostByExpiry(id);
    store.granted(request(id));
    return lost;
  }

  private Lease lostByForce(OperationId id) {
    Lease lost = store.granted(request(id));
    store.forceRelease(id, lost.fence());
    return lost;
  }

  private Lease lostByForceAndClaim(OperationId id) {
    Lease lost = lostByForce(id);
    store.granted(request(id));
    return lost;
  }

  private Lease lostToAnAnswer(OperationId id) {
    Lease lost = abandoned(id);
    Lease taker = store.granted(takeover(id));
    assertThat(store.complete(taker, ANSWER, RETENTION)).isTrue();
    return lost;
  }

  private Lease higherThanGranted(OperationId id) {
    Lease lease = store.granted(request(id));
    return new Lease(id, new Fence(lease.fence().value() + 1), lease.attempt());
  }
}
