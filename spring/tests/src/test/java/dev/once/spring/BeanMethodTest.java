package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.EarlierFailureException;
import dev.once.core.Execution;
import dev.once.core.Fence;
import dev.once.core.NotRunException;
import dev.once.core.Policy.OnEnd;
import dev.once.core.Refusal.Reason;
import dev.once.core.RefusedException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.test.util.AopTestUtils;

/** {@link Idempotent} where there is no HTTP. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class BeanMethodTest {

  private static ConfigurableApplicationContext context;
  private static Billing billing;

  /** What is behind the proxy. */
  private static Billing real;

  @BeforeAll
  static void start() {
    context = Application.of(Beans.class).withoutWeb().start();
    billing = context.getBean(Billing.class);
    real = AopTestUtils.getUltimateTargetObject(billing);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @Configuration
  @EnableScheduling
  static class Beans {
    @Bean
    Billing billing() {
      return new Billing();
    }

    @Bean
    Numbers numbers() {
      return new Numbers();
    }

    @Bean
    Nightly nightly() {
      return new Nightly();
    }

    @Bean
    Keys keys() {
      return new Keys();
    }
  }

  record Order(String id, BigDecimal amount) {}

  record Receipt(int number, Instant at, Map<String, List<Integer>> lines) {}

  record Times(OffsetDateTime at, ZonedDateTime there) {}

  private static final Times TIMES =
      new Times(
          OffsetDateTime.parse("2026-01-01T10:00:00+02:00"),
          ZonedDateTime.parse("2026-07-01T10:00:00+02:00[Europe/Paris]"));

  /** Something generic, whose results are known by the class that says what {@code T} is. */
  abstract static class Counting<T> {
    final AtomicInteger runs = new AtomicInteger();

    @Idempotent(key = "#key")
    public List<T> next(String key) {
      return List.of(value(runs.incrementAndGet()));
    }

    abstract T value(int run);
  }

  static class Numbers extends Counting<Long> {
    @Override
    Long value(int run) {
      return (long) run;
    }
  }

  static class Keys {
    public String of(String text) {
      return "key-" + text;
    }
  }

  static class Chain {
    public Chain next;
  }

  static class Billing {
    final AtomicInteger runs = new AtomicInteger();
    final CountDownLatch entered = new CountDownLatch(1);
    final CountDownLatch gate = new CountDownLatch(1);

    @Idempotent(key = "#order.id")
    public Receipt charge(Order order) {
      return new Receipt(
          runs.incrementAndGet(),
          Instant.ofEpochMilli(1_700_000_000_123L),
          Map.of("a", List.of(1, 2)));
    }

    @Idempotent(key = "#order.id")
    public Receipt refund(Order order) {
      return new Receipt(-runs.incrementAndGet(), Instant.EPOCH, Map.of());
    }

    @Idempotent(key = "#key")
    public Chain endless(String key) {
      Chain chain = new Chain();
      chain.next = chain;
      return chain;
    }

    @Idempotent(key = "#a0", required = false)
    public int countIfKeyed(String key) {
      return runs.incrementAndGet();
    }

    @Idempotent(key = "#key")
    public void noteOnly(String key) {
      runs.incrementAndGet();
    }

    @Idempotent(key = "#key")
    public Optional<Receipt> find(String key, boolean there) {
      runs.incrementAndGet();
      return there ? Optional.of(new Receipt(7, Instant.EPOCH, Map.of())) : Optional.empty();
    }

    @Idempotent(key = "#key")
    public CompletableFuture<Receipt> chargeLater(String key) {
      int run = runs.incrementAndGet();
      return CompletableFuture.supplyAsync(() -> new Receipt(run, Instant.EPOCH, Map.of()));
    }

    @Idempotent(key = "#key", onFailure = OnEnd.RELEASE)
    public CompletionStage<String> failLater(String key) {
      runs.incrementAndGet();
      return CompletableFuture.failedStage(new IllegalStateException("no"));
    }

    @Idempotent(key = "#key")
    public Times times(String key) {
      runs.incrementAndGet();
      return TIMES;
    }

    @Idempotent(key = "#key", fingerprint = "''")
    public int byAnything(Object key) {
      return runs.incrementAndGet();
    }

    @Idempotent(key = "#key")
    public int fail(String key) {
      throw new IllegalStateException("run " + runs.incrementAndGet());
    }

    @Idempotent(key = "#key", onFailure = OnEnd.RELEASE)
    public int failAndForget(String key) {
      throw new IllegalStateException("run " + runs.incrementAndGet());
    }

    @Idempotent(key = "#key")
    public int notRun(String key) {
      runs.incrementAndGet();
      throw new NotRunException("the connection was refused");
    }

    @Idempotent(key = "#key")
    public int slow(String key) throws InterruptedException {
      entered.countDown();
      assertThat(gate.await(300, TimeUnit.SECONDS)).isTrue();
      return runs.incrementAndGet();
    }

    @Idempotent(key = "@keys.of(#key)", fingerprint = "#important")
    public int partly(String key, String important, String other) {
      return runs.incrementAndGet();
    }

    @Idempotent(key = "#key")
    public long fence(String key) {
      Execution execution = CurrentExecution.get().orElseThrow();
      assertThat(execution.attempt()).isEqualTo(1);
      return execution.fence().map(Fence::value).orElseThrow();
    }

    @Idempotent(key = "#key")
    public int map(String key, Map<String, Integer> lines) {
      return runs.incrementAndGet();
    }
  }

  @Component
  @Idempotent(key = "'night'")
  static class Nightly {
    final AtomicInteger runs = new AtomicInteger();
    final AtomicInteger byClass = new AtomicInteger();
    final CountDownLatch calls = new CountDownLatch(3);

    @Scheduled(fixedDelay = 10)
    @Idempotent(key = "'2026-11-16'")
    public void close() {
      runs.incrementAndGet();
    }

    @Scheduled(fixedDelay = 10)
    @Idempotent(key = "T(java.util.UUID).randomUUID()")
    public void tick() {
      calls.countDown();
    }

    public int byClass() {
      return byClass.incrementAndGet();
    }
  }

  @Test
  void the_second_call_gets_the_first_ones_result_as_its_declared_type() {
    Receipt first = billing.charge(new Order("order-1", new BigDecimal("10.50")));
    int runs = real.runs.get();
    Receipt second = billing.charge(new Order("order-1", new BigDecimal("10.50")));
    assertThat(second).isEqualTo(first).isNotSameAs(first);
    assertThat(real.runs).hasValue(runs);
  }

  @Test
  void other_arguments_under_the_same_key_are_refused() {
    billing.charge(new Order("order-2", BigDecimal.ONE));
    assertThatThrownBy(() -> billing.charge(new Order("order-2", BigDecimal.TEN)))
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.refusal().reason()).isEqualTo(Reason.MISMATCH))
        .hasMessageContaining("Billing.charge with key ****#")
        .hasMessageNotContaining("order-2");
  }

  @Test
  void the_same_key_of_another_method_is_another_operation() {
    Order order = new Order("order-3", BigDecimal.ONE);
    assertThat(billing.charge(order).number()).isPositive();
    assertThat(billing.refund(order).number()).isNegative();
  }

  @Test
  void the_order_of_a_maps_entries_is_not_part_of_the_request() {
    Map<String, Integer> one = new LinkedHashMap<>();
    one.put("a", 1);
    one.put("b", 2);
    Map<String, Integer> other = new LinkedHashMap<>();
    other.put("b", 2);
    other.put("a", 1);
    assertThat(billing.map("map-1", one)).isEqualTo(billing.map("map-1", other));
    assertThat(billing.map("map-1", new HashMap<>(one))).isEqualTo(billing.map("map-1", one));
  }

  @Test
  void a_key_that_is_null_is_an_error_that_says_so() {
    assertThatThrownBy(() -> billing.charge(new Order(null, BigDecimal.ONE)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Billing.charge: #order.id is null (expected: some text)")
        .hasMessageContaining("required = false");
  }

  @Test
  void a_key_of_an_argument_that_is_null_is_an_error_that_says_so() {
    assertThatThrownBy(() -> billing.charge(null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("#order.id cannot be evaluated");
  }

  @Test
  void where_no_key_is_required_a_call_without_one_just_runs() {
    assertThat(billing.countIfKeyed(null)).isNotEqualTo(billing.countIfKeyed(null));
    assertThat(billing.countIfKeyed("k-1")).isEqualTo(billing.countIfKeyed("k-1"));
  }

  @Test
  void a_void_method_runs_once() {
    int runs = real.runs.get();
    billing.noteOnly("note-1");
    billing.noteOnly("note-1");
    assertThat(real.runs).hasValue(runs + 1);
  }

  @Test
  void an_optional_comes_back_as_one() {
    int runs = real.runs.get();
    assertThat(billing.find("find-1", true)).isEqualTo(billing.find("find-1", true)).isPresent();
    assertThat(billing.find("find-2", false)).isEqualTo(billing.find("find-2", false)).isEmpty();
    assertThat(real.runs).hasValue(runs + 2);
  }

  @Test
  void a_generic_result_comes_back_as_what_it_stands_for() {
    Numbers numbers = context.getBean(Numbers.class);
    List<Long> first = numbers.next("n-1");
    List<Long> second = numbers.next("n-1");
    assertThat(second).isEqualTo(first);
    assertThat((Object) second.get(0)).isInstanceOf(Long.class);
  }

  @Test
  void a_future_is_recorded_when_it_ends() {
    Receipt first = billing.chargeLater("later-1").join();
    assertThat(billing.chargeLater("later-1").join()).isEqualTo(first);
  }

  @Test
  void a_stage_that_fails_fails_for_the_caller_and_a_retry_runs_if_the_policy_releases() {
    int runs = real.runs.get();
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> billing.failLater("later-2").toCompletableFuture().join())
          .isInstanceOf(CompletionException.class)
          .hasRootCauseInstanceOf(IllegalStateException.class);
    }
    assertThat(real.runs).hasValue(runs + 2);
  }

  @Test
  void a_result_that_cannot_be_written_is_refused_and_handed_to_its_caller() {
    assertThatThrownBy(() -> billing.endless("endless"))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.unrecordedValue()).isInstanceOf(Chain.class));
  }

  @Test
  void a_failure_is_recorded_and_a_retry_does_not_run() {
    assertThatThrownBy(() -> billing.fail("fail-1")).isInstanceOf(IllegalStateException.class);
    int runs = real.runs.get();
    assertThatThrownBy(() -> billing.fail("fail-1"))
        .isInstanceOf(EarlierFailureException.class)
        .hasMessageContaining("the first run failed with IllegalStateException")
        .hasMessageContaining("onFailure=RELEASE");
    assertThat(real.runs).hasValue(runs);
  }

  @Test
  void a_failure_that_the_policy_releases_runs_again() {
    assertThatThrownBy(() -> billing.failAndForget("fail-2"))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> billing.failAndForget("fail-2"))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void a_method_that_says_that_nothing_was_done_leaves_the_key_free() {
    int runs = real.runs.get();
    assertThatThrownBy(() -> billing.notRun("not-1")).isInstanceOf(NotRunException.class);
    assertThatThrownBy(() -> billing.notRun("not-1")).isInstanceOf(NotRunException.class);
    assertThat(real.runs).hasValue(runs + 2);
  }

  @Test
  void a_call_while_the_first_one_runs_is_refused() throws Exception {
    CompletableFuture<Integer> first =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return billing.slow("slow-1");
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    assertThat(real.entered.await(300, TimeUnit.SECONDS)).isTrue();
    assertThatThrownBy(() -> billing.slow("slow-1"))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.refusal().reason()).isEqualTo(Reason.BUSY));
    real.gate.countDown();
    int result = first.join();
    assertThat(billing.slow("slow-1")).isEqualTo(result);
  }

  @Test
  void key_and_fingerprint_may_be_made_of_what_counts() {
    int first = billing.partly("p-1", "a", "x");
    assertThat(billing.partly("p-1", "a", "y")).isEqualTo(first);
    assertThatThrownBy(() -> billing.partly("p-1", "b", "y")).isInstanceOf(RefusedException.class);
  }

  @Test
  void the_method_knows_its_fence_and_attempt() {
    assertThat(billing.fence("fence-1")).isPositive();
    assertThat(CurrentExecution.get()).isEmpty();
  }

  @Test
  void a_scheduled_job_runs_once_for_its_key_however_often_it_is_due() throws Exception {
    Nightly nightly = context.getBean(Nightly.class);
    Nightly made = AopTestUtils.getUltimateTargetObject(nightly);
    assertThat(made.calls.await(300, TimeUnit.SECONDS)).isTrue();
    assertThat(made.runs).hasValue(1);
    assertThat(nightly.byClass()).isEqualTo(nightly.byClass());
  }

  @Test
  void times_come_back_with_their_offset_and_zone() {
    assertThat(billing.times("times")).isEqualTo(TIMES);
    assertThat(billing.times("times")).isEqualTo(TIMES);
  }

  @Test
  void a_key_that_says_only_where_it_is_in_memory_is_refused() {
    int before = real.runs.get();
    assertThatThrownBy(() -> billing.byAnything(new byte[] {1}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("#key is a byte[], whose text is not its content");
    assertThatThrownBy(() -> billing.byAnything(new Object()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(real.runs).hasValue(before);
  }

  @Test
  void the_key_of_an_optional_is_what_is_in_it() {
    int first = billing.byAnything("7");
    assertThat(billing.byAnything(Optional.of("7"))).isEqualTo(first);
    assertThat(billing.byAnything(OptionalInt.of(7))).isEqualTo(first);
    assertThat(billing.byAnything(OptionalLong.of(7))).isEqualTo(first);
  }

  @Test
  void an_empty_optional_is_no_key() {
    for (Object empty :
        new Object[] {
          Optional.empty(), OptionalInt.empty(), OptionalLong.empty(), OptionalDouble.empty()
        }) {
      assertThatThrownBy(() -> billing.byAnything(empty))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("#key is empty (expected: some text)");
    }
  }
}
