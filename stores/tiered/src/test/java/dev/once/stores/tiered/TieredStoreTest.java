package dev.once.stores.tiered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Bytes;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import dev.once.core.store.Cache;
import dev.once.core.store.Claim;
import dev.once.core.store.Claim.Abandoned;
import dev.once.core.store.Claim.Busy;
import dev.once.core.store.Claim.Finished;
import dev.once.core.store.Claim.Granted;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.Stores;
import dev.once.stores.tiered.CacheServer.Link;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the two tiers are asked, and what each of them is believed. Time stands still. */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class TieredStoreTest {

  private static final OperationId ID = new OperationId(Scope.GLOBAL, Key.of("key"));
  private static final Fingerprint ASKED = Fingerprint.of("one");
  private static final Fingerprint ASKED_OTHERWISE = Fingerprint.of("another");
  private static final Answer ANSWER = Answer.success(201, Body.of("seven"));
  private static final Answer OTHER_ANSWER = Answer.success(201, Body.of("eight"));
  private static final Duration LEASE = Duration.ofMinutes(5);
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration MOMENT = Duration.ofMillis(1);

  private final ManualScheduler time = new ManualScheduler();
  private final CacheServer redis = new CacheServer(time);
  private final CountingStore database = new CountingStore(new MemoryStore(time, 1000, 1_000_000));
  private final AtomicInteger fallbacks = new AtomicInteger();
  private long tokens;

  private TieredSettings settings = TieredSettings.forCache();
  private CacheServer.Client link = redis.client();
  private TieredStore store = node(link);

  private TieredStore node(CacheServer.Client link) {
    return new TieredStore(
        database, link, settings.withOnFallback(fallbacks::incrementAndGet), time);
  }

  private ClaimRequest request() {
    return request(ASKED);
  }

  private ClaimRequest request(Fingerprint fingerprint) {
    return new ClaimRequest(ID, fingerprint, ++tokens, LEASE, DAY, false);
  }

  private Claim claim(ClaimRequest request) {
    return now(store.claim(request));
  }

  private Lease granted() {
    return ((Granted) claim(request())).lease();
  }

  private Lease finished() {
    Lease lease = granted();
    assertThat(now(store.complete(lease, ANSWER, DAY))).isTrue();
    return lease;
  }

  private static <T> T now(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    assertThat(future).isDone();
    return future.join();
  }

  private int steps(Runnable action) {
    int before = database.steps;
    action.run();
    return database.steps - before;
  }

  /** A cache whose every step ends so. */
  private static Cache failing(Supplier<Throwable> thrown) {
    return new Cache() {
      @Override
      public CompletionStage<Optional<Bytes>> get(OperationId id) {
        TieredStoreTest.<RuntimeException>throwUndeclared(thrown.get());
        return CompletableFuture.completedFuture(Optional.empty());
      }

      @Override
      public CompletionStage<Void> put(OperationId id, Bytes value, Duration life) {
        TieredStoreTest.<RuntimeException>throwUndeclared(thrown.get());
        return CompletableFuture.completedFuture(null);
      }

      @Override
      public void close() {}
    };
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void throwUndeclared(Throwable thrown) throws E {
    throw (E) thrown;
  }

  private static Stream<TieredSettings> bothForms() {
    return Stream.of(TieredSettings.forCache(), TieredSettings.forFallback());
  }

  @ParameterizedTest
  @MethodSource("bothForms")
  void a_cache_that_throws_whatever_it_is_costs_nobody_an_answer(TieredSettings form) {
    for (Throwable thrown :
        List.of(new IOException("undeclared"), new NoClassDefFoundError("of a driver"))) {
      MemoryStore behind = new MemoryStore(time, 1000, 1_000_000);
      store =
          new TieredStore(
              behind, failing(() -> thrown), form.withOnFallback(fallbacks::incrementAndGet), time);
      finished();
      assertThat(claim(request())).isEqualTo(new Finished(ASKED, ANSWER));
      assertThat(fallbacks.getAndSet(0)).isPositive();
    }
  }

  @ParameterizedTest
  @MethodSource("bothForms")
  void whoever_counts_fallbacks_decides_nothing(TieredSettings form) {
    link.link = Link.REFUSED;
    store =
        new TieredStore(
            database,
            link,
            form.withOnFallback(
                () -> {
                  throw new IllegalStateException("a counter's");
                }),
            time);
    finished();
    assertThat(claim(request())).isEqualTo(new Finished(ASKED, ANSWER));
  }

  @Test
  void a_cache_that_cannot_be_opened_leaves_no_database_open() {
    MemoryStore behind = new MemoryStore(time, 1000, 1_000_000);
    assertThatThrownBy(
            () ->
                Stores.fallback(
                    behind,
                    () -> {
                      throw new NoClassDefFoundError("of a driver");
                    },
                    () -> {}))
        .isInstanceOf(NoClassDefFoundError.class);
    assertThat(behind.claim(request()).toCompletableFuture()).isCompletedExceptionally();
  }

  @Nested
  class With_a_replay_cache {

    @Test
    void a_first_request_costs_one_look_and_two_statements_and_one_put_behind_them() {
      int before = redis.steps.get();

      assertThat(steps(() -> finished())).isEqualTo(2);
      assertThat(redis.steps.get() - before).isEqualTo(2);
    }

    @Test
    void a_replay_costs_one_look_and_no_statement() {
      finished();
      int before = redis.steps.get();

      int statements =
          steps(() -> assertThat(claim(request())).isEqualTo(new Finished(ASKED, ANSWER)));

      assertThat(statements).isZero();
      assertThat(redis.steps.get() - before).isEqualTo(1);
    }

    @Test
    void another_request_with_the_same_key_is_told_the_fingerprint_of_the_first() {
      finished();

      assertThat(claim(request(ASKED_OTHERWISE))).isEqualTo(new Finished(ASKED, ANSWER));
    }

    @Test
    void a_completion_does_not_wait_for_the_cache() {
      Lease lease = granted();
      link.link = Link.SILENT;

      assertThat(now(store.complete(lease, ANSWER, DAY))).isTrue();
    }

    @Test
    void a_busy_duplicate_is_the_databases_to_answer() {
      granted();

      assertThat(steps(() -> assertThat(claim(request())).isInstanceOf(Busy.class))).isEqualTo(1);
      assertThat(steps(() -> assertThat(claim(request())).isInstanceOf(Busy.class))).isEqualTo(1);
    }

    @Test
    void a_withdrawn_claim_leaves_the_key_free() {
      ClaimRequest lost = request();
      claim(lost);

      assertThat(steps(() -> assertThat(now(store.withdraw(ID, lost.token()))).isTrue()))
          .isEqualTo(1);

      assertThat(claim(request())).isInstanceOf(Granted.class);
    }

    @Test
    void an_answer_is_not_withdrawn() {
      ClaimRequest first = request();
      Lease lease = ((Granted) claim(first)).lease();
      now(store.complete(lease, ANSWER, DAY));

      assertThat(now(store.withdraw(ID, first.token()))).isFalse();

      assertThat(claim(request())).isEqualTo(new Finished(ASKED, ANSWER));
    }

    @Test
    void an_empty_cache_is_filled_by_the_first_replay() {
      finished();
      redis.empty();

      assertThat(steps(() -> claim(request()))).isEqualTo(1);
      assertThat(steps(() -> claim(request()))).isZero();
    }

    @Test
    void an_answer_leaves_the_cache_when_its_record_expires_however_it_came_there() {
      Lease lease = granted();
      now(store.complete(lease, ANSWER, Duration.ofMinutes(3)));
      time.advance(Duration.ofMinutes(2));
      redis.empty();
      claim(request());

      time.advance(Duration.ofMinutes(1));

      assertThat(claim(request())).isInstanceOf(Granted.class);
    }

    @Test
    void an_answer_leaves_the_cache_after_its_longest_stay_and_may_come_back() {
      finished();
      time.advance(settings.longestStay());

      assertThat(steps(() -> claim(request()))).isEqualTo(1);
      assertThat(steps(() -> claim(request()))).isZero();
    }

    @Test
    void an_answer_of_which_it_is_not_sure_that_it_was_recorded_is_not_put_into_the_cache() {
      Lease lease = granted();
      database.losesReplies = true;
      store.complete(lease, ANSWER, DAY);
      database.losesReplies = false;

      assertThat(now(store.complete(lease, OTHER_ANSWER, DAY))).isTrue();

      assertThat(claim(request())).isEqualTo(new Finished(ASKED, ANSWER));
    }

    @Test
    void an_answer_recorded_at_the_second_try_is_put_into_the_cache() {
      Lease lease = granted();
      database.losesReplies = true;
      store.complete(lease, ANSWER, DAY);
      database.losesReplies = false;
      now(store.complete(lease, ANSWER, DAY));

      assertThat(steps(() -> claim(request()))).isZero();
    }

    @Test
    void an_answer_that_was_not_recorded_is_not_put_into_the_cache() {
      Lease lease = granted();
      now(store.inspection().forceRelease(ID, lease.fence()));
      time.advance(Duration.ofMinutes(2));

      assertThat(now(store.complete(lease, ANSWER, DAY))).isFalse();

      assertThat(claim(request())).isInstanceOf(Granted.class);
    }

    @Test
    void damage_in_the_cache_is_a_miss() {
      finished();
      redis.empty();
      redis.put(ID, Bytes.wrap(new byte[] {3, 1, 7}), DAY);

      assertThat(claim(request())).isEqualTo(new Finished(ASKED, ANSWER));
    }

    @Test
    void a_value_of_a_newer_version_is_a_miss() {
      finished();
      redis.empty();
      redis.put(ID, Bytes.wrap(new byte[] {9, 2}), DAY);

      assertThat(claim(request())).isEqualTo(new Finished(ASKED, ANSWER));
    }
  }

  @Nested
  class With_a_fallback {

    With_a_fallback() {
      settings = TieredSettings.forFallback();
      store = node(link);
    }

    @Test
    void a_second_duplicate_costs_no_statement() {
      granted();
      claim(request());

      int statements = steps(() -> assertThat(claim(request())).isInstanceOf(Busy.class));

      assertThat(statements).isZero();
    }

    @Test
    void a_duplicate_with_another_request_is_told_the_fingerprint_of_the_first() {
      granted();
      claim(request());

      assertThat(((Busy) claim(request(ASKED_OTHERWISE))).fingerprint()).isEqualTo(ASKED);
    }

    @Test
    void that_it_runs_is_asked_again_when_a_while_is_over() {
      granted();
      claim(request());
      time.advance(settings.busyFor());

      assertThat(steps(() -> claim(request()))).isEqualTo(1);
    }

    @Test
    void that_it_runs_is_not_said_beyond_the_lease() {
      granted();
      time.advance(LEASE.minusMillis(10));
      claim(request());
      time.advance(Duration.ofMillis(10));

      assertThat(claim(request())).isInstanceOf(Abandoned.class);
    }

    @Test
    void an_owner_whose_reply_was_lost_gets_its_lease_whatever_the_cache_says() {
      ClaimRequest first = request();
      database.losesReplies = true;
      store.claim(first);
      database.losesReplies = false;
      claim(request());

      assertThat(claim(first)).isInstanceOf(Granted.class);
    }

    @Test
    void nor_after_ten_thousand_other_claims() {
      ClaimRequest first = request();
      database.losesReplies = true;
      store.claim(first);
      database.losesReplies = false;
      for (int i = 0; i <= 10_000; i++) {
        OperationId other = new OperationId(Scope.GLOBAL, Key.of("other " + i));
        Claim claim = claim(new ClaimRequest(other, ASKED, ++tokens, LEASE, DAY, false));
        now(store.release(((Granted) claim).lease()));
      }
      claim(request());

      assertThat(claim(first)).isInstanceOf(Granted.class);
    }

    @Test
    void of_claims_that_have_ended_nothing_is_remembered() {
      Lease lease = finished();
      claim(request());
      now(store.inspection().forceRelease(ID, lease.fence()));
      now(store.release(granted()));
      database.refuses = true;
      store.claim(request());
      database.refuses = false;
      ClaimRequest lost = request();
      database.losesReplies = true;
      store.claim(lost);
      database.losesReplies = false;
      assertThat(store.claims.size()).as("the one that may have been granted").isEqualTo(1);

      now(store.withdraw(ID, lost.token()));

      assertThat(store.claims.size()).isZero();
    }

    @Test
    void an_operation_that_ended_is_not_called_busy_by_anybody() {
      TieredStore another = node(redis.client());
      Lease lease = granted();
      now(another.claim(request()));
      now(store.complete(lease, ANSWER, DAY));

      assertThat(now(another.claim(request()))).isEqualTo(new Finished(ASKED, ANSWER));
    }

    @Test
    void a_released_operation_is_not_called_busy_by_anybody() {
      TieredStore another = node(redis.client());
      Lease lease = granted();
      now(another.claim(request()));
      now(store.release(lease));

      assertThat(now(another.claim(request()))).isInstanceOf(Granted.class);
    }

    @Test
    void a_withdrawn_claim_is_not_called_busy_by_anybody() {
      TieredStore another = node(redis.client());
      ClaimRequest lost = request();
      claim(lost);
      now(another.claim(request()));

      assertThat(now(store.withdraw(ID, lost.token()))).isTrue();

      assertThat(now(another.claim(request()))).isInstanceOf(Granted.class);
    }

    @Test
    void withdrawing_what_was_not_granted_leaves_the_owner_its_lease() {
      Lease lease = granted();
      ClaimRequest refused = request();
      claim(refused);

      assertThat(now(store.withdraw(ID, refused.token()))).isFalse();

      assertThat(now(store.complete(lease, ANSWER, DAY))).isTrue();
    }

    @Test
    void an_end_that_the_cache_was_not_told_is_seen_when_a_while_is_over() {
      TieredStore another = node(redis.client());
      Lease lease = granted();
      now(another.claim(request()));
      link.link = Link.REFUSED;
      now(store.complete(lease, ANSWER, DAY));

      assertThat(now(another.claim(request()))).isInstanceOf(Busy.class);
      time.advance(settings.busyFor());
      assertThat(now(another.claim(request()))).isEqualTo(new Finished(ASKED, ANSWER));
    }

    @Test
    void a_waiter_that_is_woken_does_not_hear_from_the_cache_that_it_still_runs() {
      TieredStore another = node(redis.client());
      Lease lease = granted();
      now(another.claim(request()));
      another.watch(ID, () -> {});
      link.link = Link.REFUSED;
      now(store.complete(lease, ANSWER, DAY));

      assertThat(now(another.claim(request()))).isEqualTo(new Finished(ASKED, ANSWER));
    }

    @Test
    void the_owners_node_does_not_hear_from_the_cache_that_it_still_runs() {
      Lease lease = granted();
      claim(request());
      link.link = Link.REFUSED;
      now(store.release(lease));
      link.link = Link.GOOD;

      assertThat(claim(request())).isInstanceOf(Granted.class);
    }

    @Test
    void nodes_that_see_the_cache_and_nodes_that_do_not_share_one_grant() {
      link.link = Link.REFUSED;
      TieredStore another = node(redis.client());
      granted();

      assertThat(now(another.claim(request()))).isInstanceOf(Busy.class);
      assertThat(claim(request())).isInstanceOf(Busy.class);
    }

    @Test
    void an_old_cache_says_that_it_runs_for_a_moment_and_never_that_it_is_free() {
      TieredStore another = node(redis.client());
      Lease lease = granted();
      claim(request());
      Runnable old = redis.snapshot();
      now(store.complete(lease, ANSWER, DAY));
      old.run();

      assertThat(now(another.claim(request()))).isInstanceOf(Busy.class);
      time.advance(settings.busyFor());
      assertThat(now(another.claim(request()))).isEqualTo(new Finished(ASKED, ANSWER));
    }

    @Test
    void replays_go_on_when_the_database_is_lost_and_nothing_is_granted() {
      finished();
      database.down = true;

      assertThat(claim(request())).isEqualTo(new Finished(ASKED, ANSWER));
      redis.empty();
      assertThat(store.claim(request())).isCompletedExceptionally();
    }
  }

  @Nested
  class When_a_person_releases_a_key {

    @Test
    void its_answer_is_no_longer_replayed() {
      Lease lease = finished();

      assertThat(now(store.inspection().forceRelease(ID, lease.fence()))).isTrue();

      assertThat(claim(request())).isInstanceOf(Granted.class);
    }

    @Test
    void a_reader_that_comes_late_does_not_bring_its_answer_back() {
      Lease lease = finished();
      CacheServer.Client slow = redis.client();
      LatePuts late = new LatePuts(slow);
      TieredStore reader = new TieredStore(database, late, settings, time);
      redis.empty();
      now(reader.claim(request()));

      now(store.inspection().forceRelease(ID, lease.fence()));
      late.arrive();

      assertThat(claim(request())).isInstanceOf(Granted.class);
    }

    /**
     * Found by seed 1009340 of {@link LyingCacheTest}: the first mark's end was the second's too.
     */
    @Test
    void twice_a_reader_that_comes_late_does_not_bring_the_second_answer_back() {
      now(store.inspection().forceRelease(ID, finished().fence()));
      time.advance(Duration.ofSeconds(59));
      Lease lease = finished();
      LatePuts late = new LatePuts(redis.client());
      now(new TieredStore(database, late, settings, time).claim(request()));

      now(store.inspection().forceRelease(ID, lease.fence()));
      time.advance(Duration.ofSeconds(2));
      late.arrive();

      assertThat(claim(request())).isInstanceOf(Granted.class);
    }

    @Test
    void and_the_cache_is_not_told_the_answer_is_gone_after_its_longest_stay() {
      Lease lease = finished();
      link.link = Link.REFUSED;
      now(store.inspection().forceRelease(ID, lease.fence()));
      link.link = Link.GOOD;

      assertThat(claim(request())).isEqualTo(new Finished(ASKED, ANSWER));
      time.advance(settings.longestStay());
      assertThat(claim(request())).isInstanceOf(Granted.class);
    }

    @Test
    void and_the_cache_was_not_told_it_is_told_when_the_key_is_released_again() {
      Lease lease = finished();
      link.link = Link.REFUSED;
      now(store.inspection().forceRelease(ID, lease.fence()));
      link.link = Link.GOOD;

      assertThat(now(store.inspection().forceRelease(ID, lease.fence()))).isFalse();

      assertThat(claim(request())).isInstanceOf(Granted.class);
    }
  }

  @Nested
  class When_the_cache_fails {

    @Test
    void the_database_answers_and_it_is_counted() {
      finished();
      link.link = Link.REFUSED;

      assertThat(claim(request())).isEqualTo(new Finished(ASKED, ANSWER));
      assertThat(fallbacks).hasValue(1);
    }

    @Test
    void by_saying_nothing_it_is_waited_for_no_longer_than_the_timeout() {
      finished();
      link.link = Link.SILENT;
      CompletionStage<Claim> claim = store.claim(request());
      assertThat(claim.toCompletableFuture()).isNotDone();

      time.advance(settings.timeout());

      assertThat(now(claim)).isEqualTo(new Finished(ASKED, ANSWER));
      assertThat(fallbacks).hasValue(1);
    }

    @Test
    void again_and_again_it_is_left_alone_for_a_while_and_then_asked_again() {
      finished();
      link.link = Link.REFUSED;
      for (int i = 0; i < 20; i++) {
        claim(request());
      }
      link.link = Link.GOOD;
      int before = redis.steps.get();

      claim(request());
      assertThat(redis.steps.get()).isEqualTo(before);

      time.advance(settings.restAfterFailures().plus(MOMENT));
      assertThat(steps(() -> claim(request()))).isZero();
      assertThat(redis.steps.get()).isGreaterThan(before);
      assertThat(fallbacks).hasValue(21);
    }

    @Test
    void nothing_that_the_database_granted_is_lost() {
      Lease lease = granted();
      link.link = Link.REFUSED;
      assertThat(now(store.renew(lease, LEASE))).isTrue();
      assertThat(now(store.complete(lease, ANSWER, DAY))).isTrue();
      link.link = Link.GOOD;
      redis.empty();

      assertThat(claim(request())).isEqualTo(new Finished(ASKED, ANSWER));
    }

    @Test
    void by_throwing_it_is_a_failure_like_any_other() {
      finished();
      store =
          new TieredStore(
              database,
              new LatePuts(link) {
                @Override
                public CompletionStage<Optional<Bytes>> get(OperationId id) {
                  throw new IllegalStateException("thrown");
                }
              },
              settings,
              time);

      assertThat(claim(request())).isEqualTo(new Finished(ASKED, ANSWER));
    }
  }

  @Test
  void a_wake_up_is_the_databases() {
    AtomicBoolean woken = new AtomicBoolean();
    Lease lease = granted();
    store.watch(ID, () -> woken.set(true));

    now(store.complete(lease, ANSWER, DAY));

    assertThat(woken).isTrue();
  }

  @Test
  void closing_closes_both_and_a_finished_key_is_not_replayed_after_it() {
    finished();
    store.close();

    assertThat(store.claim(request())).isCompletedExceptionally();
    assertThat(database.claim(request())).isCompletedExceptionally();
    assertThat(link.get(ID)).isCompletedExceptionally();
  }

  @Test
  void settings_out_of_range_are_refused_with_the_value_and_what_is_expected() {
    assertThatThrownBy(() -> settings.withTimeout(Duration.ZERO))
        .hasMessage("timeout: PT0S (expected: PT0.001S to PT1M)");
    assertThatThrownBy(() -> settings.withLongestStay(Duration.ofMillis(-1)))
        .hasMessage("longestStay: PT-0.001S (expected: PT0.001S to PT87600H)");
    assertThatThrownBy(() -> settings.withBusyFor(Duration.ofHours(1)))
        .hasMessage("busyFor: PT1H (expected: PT0S to PT1M)");
    assertThatThrownBy(() -> settings.withRestAfterFailures(Duration.ZERO))
        .hasMessage("restAfterFailures: PT0S (expected: PT0.001S to PT1H)");
  }
}
