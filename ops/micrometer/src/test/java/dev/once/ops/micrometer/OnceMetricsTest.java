package dev.once.ops.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Body;
import dev.once.core.Execution;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Origin;
import dev.once.core.Policy;
import dev.once.core.Refusal;
import dev.once.core.Refusal.Reason;
import dev.once.core.Scope;
import dev.once.core.store.Inspection.Counts;
import dev.once.core.store.MemoryStore;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class OnceMetricsTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final OnceMetrics metrics = new OnceMetrics(registry);
  private final MemoryStore store = new MemoryStore();
  private final Once once = Once.builder(store).listener(metrics).build();

  @AfterEach
  void close() {
    once.close();
  }

  @Test
  void the_names_that_people_know_are_there_and_none_has_a_tag() {
    assertThat(registry.getMeters())
        .extracting(meter -> meter.getId().getName())
        .contains(
            "idempotency.conflicts",
            "idempotency.processing.gauge",
            "idempotency.retries",
            "idempotency.cache.hit",
            "idempotency.cache.miss",
            "idempotency.conflict",
            "idempotency.fallback",
            "idempotency.keys.stored",
            "idempotency.hits",
            "idempotency.misses",
            "idempotency.errors");
    assertThat(registry.getMeters()).allMatch(meter -> meter.getId().getTags().isEmpty());
  }

  @Test
  void a_plain_run_is_counted_until_it_ends_and_its_replay_is_a_hit_and_a_retry() throws Exception {
    once.run(
        pay("10"),
        execution -> {
          assertThat(value("idempotency.processing.gauge")).isEqualTo(1);
          return Answer.success(200, Body.EMPTY);
        });
    assertThat(value("idempotency.misses")).isEqualTo(1);
    assertThat(value("idempotency.cache.miss")).isEqualTo(1);
    assertThat(value("idempotency.processing.gauge")).isZero();
    once.begin(pay("10"));
    assertThat(value("idempotency.hits")).isEqualTo(1);
    assertThat(value("idempotency.cache.hit")).isEqualTo(1);
    assertThat(value("idempotency.retries")).isEqualTo(1);
    assertThat(value("idempotency.misses")).isEqualTo(1);
  }

  @Test
  void what_ends_without_an_answer_does_not_run_any_more() {
    begin(pay("10")).release();
    begin(pay("10")).abandon();
    assertThat(value("idempotency.misses")).isEqualTo(2);
    assertThat(value("idempotency.processing.gauge")).isZero();
  }

  private Execution begin(Operation operation) {
    return ((Begun.Proceed) once.begin(operation).toCompletableFuture().join()).execution();
  }

  @Test
  void a_call_that_a_second_store_answered_is_counted() {
    metrics.fellBack();
    assertThat(value("idempotency.fallback")).isEqualTo(1);
  }

  @Test
  void busy_and_mismatch_are_conflicts_and_only_busy_is_a_conflict_in_progress() {
    begin(pay("10"));
    once.begin(pay("10"));
    once.begin(pay("99"));
    assertThat(value("idempotency.conflicts")).isEqualTo(2);
    assertThat(value("idempotency.conflict")).isEqualTo(1);
    assertThat(value("idempotency.mismatches")).isEqualTo(1);
  }

  @Test
  void a_store_that_fails_is_seen() {
    store.close();
    once.begin(pay("10")).toCompletableFuture().join();
    assertThat(value("idempotency.errors")).isEqualTo(1);
  }

  @Test
  void an_answer_that_comes_too_late_is_seen() {
    Execution late = begin(pay("10"));
    store.inspection().forceRelease(pay("10").id(), late.fence().orElseThrow());
    late.complete(Answer.success(200, Body.EMPTY));
    assertThat(value("idempotency.ownership.lost")).isEqualTo(1);
  }

  @Test
  void a_bad_or_missing_key_is_counted() {
    metrics.requestRefused(Origin.CALL, new Refusal(Reason.MISSING, "", null));
    metrics.requestRefused(Origin.CALL, new Refusal(Reason.MALFORMED, "", null));
    assertThat(value("idempotency.keys.missing")).isEqualTo(1);
    assertThat(value("idempotency.keys.malformed")).isEqualTo(1);
  }

  @Test
  void what_the_store_holds_is_shown_as_last_counted() {
    metrics.stored(new Counts(3, 1, 5, 2));
    assertThat(value("idempotency.keys.stored")).isEqualTo(10);
    assertThat(value("idempotency.keys.abandoned")).isEqualTo(1);
  }

  private double value(String name) {
    Meter meter = registry.get(name).meter();
    return meter.measure().iterator().next().getValue();
  }

  private static Operation pay(String asked) {
    return Operation.of(Scope.GLOBAL, Key.of("k"), Fingerprint.of(asked), Policy.DEFAULT);
  }
}
