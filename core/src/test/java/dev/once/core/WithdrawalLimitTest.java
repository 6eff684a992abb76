package dev.once.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.StoreException;
import dev.once.core.store.UnconfirmedException;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** A store that is down for hours leaves more claims in doubt than a process can remember. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WithdrawalLimitTest extends EngineFixture {

  private static final int MAX = 3;
  private static final Duration SOON = Duration.ofSeconds(10);

  private final Settings settings =
      new Settings(
          store,
          time,
          new SplittableRandom(1),
          Duration.ofSeconds(5),
          Duration.ofSeconds(30),
          10,
          OnceListener.NONE,
          cause -> FAILED);

  private final StoreCalls calls = new StoreCalls(settings);
  private final Withdrawals withdrawals = new Withdrawals(calls, settings, MAX);

  @Test
  void of_too_many_claims_in_doubt_the_first_are_withdrawn_and_no_more_are_kept() {
    store.down(true);
    IntStream.range(0, 2 * MAX).forEach(this::inDoubt);
    store.calls();
    store.down(false);
    time.passes(SOON);
    IntStream.range(0, MAX).forEach(i -> assertThat(record(pay("" + i))).isEmpty());
    IntStream.range(MAX, 2 * MAX).forEach(i -> assertThat(record(pay("" + i))).isPresent());
  }

  @Test
  void a_claim_that_the_store_has_replied_to_gives_way_to_a_new_one() {
    IntStream.range(0, MAX).forEach(this::inDoubt);
    time.passes(SOON);
    inDoubt(MAX);
    time.passes(SOON);
    assertThat(record(pay("" + MAX))).isEmpty();
  }

  @Test
  void one_that_was_withdrawn_gives_way_also_if_another_is_due_later() {
    inDoubt(0);
    inDoubt(1);
    time.passes(Duration.ofMillis(500));
    store.down(true);
    inDoubt(2);
    time.passes(Duration.ofSeconds(5));
    inDoubt(MAX);
    store.down(false);
    time.passes(SOON);
    assertThat(record(pay("" + MAX))).isEmpty();
  }

  /** The master takes all claims and all withdrawals, and its only replica is away. */
  @Test
  void one_whose_withdrawal_no_replica_confirms_gives_way_to_one_that_nobody_withdrew() {
    store.confirms(false);
    for (int i = 0; i < 2 * MAX; i++) {
      unconfirmed(i);
      time.passes(SOON);
    }
    IntStream.range(0, 2 * MAX).forEach(i -> assertThat(record(pay("" + i))).isEmpty());
  }

  @Test
  void a_claim_that_is_said_to_be_unconfirmed_too_late_is_not_under_way_any_more() {
    ClaimTries late = inDoubt(0);
    withdrawals.repliedLate(late, null, new UnconfirmedException("0 of 1", null));
    assertThat(late.isSettled()).isTrue();
    assertThat(late.mayBeGranted()).isTrue();
  }

  @Test
  void a_grant_that_comes_late_is_withdrawn_although_there_was_no_room_for_it() {
    store.down(true);
    IntStream.range(0, MAX).forEach(this::inDoubt);
    ClaimTries late = inDoubt(MAX);
    store.down(false);
    withdrawals.repliedLate(late, granted(late), null);
    time.passes(SOON);
    assertThat(record(pay("" + MAX))).isEmpty();
  }

  /** Granted, and the reply was lost. */
  private ClaimTries inDoubt(int key) {
    return failed(key, new StoreException("cut", null));
  }

  private void unconfirmed(int key) {
    failed(key, new UnconfirmedException("0 of 1", null));
  }

  private ClaimTries failed(int key, StoreException failure) {
    Operation operation = pay("" + key);
    ClaimTries tries =
        new ClaimTries(
            new ClaimRequest(
                operation.id(), operation.fingerprint(), key, LEASE, Duration.ofDays(1), false));
    assertThat(granted(tries)).isInstanceOf(Claim.Granted.class);
    withdrawals.failed(tries, failure);
    withdrawals.add(tries);
    return tries;
  }

  private Claim granted(ClaimTries tries) {
    return now(memory.claim(tries.request));
  }
}
