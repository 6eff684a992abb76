package dev.once.ops.micrometer;

import static dev.once.core.Refusal.Reason.BUSY;
import static dev.once.core.Refusal.Reason.MALFORMED;
import static dev.once.core.Refusal.Reason.MISMATCH;
import static dev.once.core.Refusal.Reason.MISSING;
import static dev.once.core.Refusal.Reason.OUTCOME_UNKNOWN;
import static dev.once.core.Refusal.Reason.OVER_QUOTA;
import static dev.once.core.Refusal.Reason.OWNERSHIP_LOST;
import static dev.once.core.Refusal.Reason.STORE_DOWN;

import dev.once.core.Answer;
import dev.once.core.Execution;
import dev.once.core.OnceListener;
import dev.once.core.Operation;
import dev.once.core.Origin;
import dev.once.core.Refusal;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import dev.once.core.store.Inspection.Counts;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;

/**
 * Counts what becomes of operations, by whichever way they came, under the names that people know.
 * Several names show the same count: a request costs one addition for each thing that happened to
 * it, not for each name.
 *
 * <p>The descriptions are what operators see beside the numbers, as Prometheus's HELP: they use
 * Prometheus's names. No key, tenant or user is ever a tag.
 */
public final class OnceMetrics implements OnceListener {

  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final Map<Reason, LongAdder> refusals = new EnumMap<>(Reason.class);
  private final LongAdder unprotected = new LongAdder();
  private final LongAdder ended = new LongAdder();

  /** For stores with another behind them; the others never fall back. */
  private final LongAdder fallbacks = new LongAdder();

  private volatile Counts stored = new Counts(0, 0, 0, 0);

  public OnceMetrics(MeterRegistry registry) {
    for (Reason reason : Reason.values()) {
      refusals.put(reason, new LongAdder());
    }
    count(registry, "idempotency.hits", "Retries that got the recorded answer", hits);
    count(registry, "idempotency.cache.hit", "The same count as idempotency_hits_total", hits);
    count(registry, "idempotency.misses", "Requests whose handler was called", misses);
    count(registry, "idempotency.cache.miss", "The same count as idempotency_misses_total", misses);
    refused(
        registry,
        "idempotency.conflict",
        "Requests refused because the first one with their key still ran;"
            + " idempotency_conflicts_total has these, and keys that were used for something else",
        BUSY);
    refused(
        registry,
        "idempotency.conflicts",
        "Requests refused because their key was taken: the sum of idempotency_conflict_total and"
            + " idempotency_mismatches_total",
        BUSY,
        MISMATCH);
    sum(
        registry,
        "idempotency.retries",
        "Requests whose key was known: they got the recorded answer, the first one still ran, or its"
            + " outcome is unknown",
        m -> m.hits.sum() + m.refused(BUSY, OUTCOME_UNKNOWN));
    sum(
        registry,
        "idempotency.errors",
        "Requests that the store could not protect: refused, or run without protection",
        m -> m.unprotected.sum() + m.refused(STORE_DOWN, OVER_QUOTA));
    refused(
        registry,
        "idempotency.mismatches",
        "Requests refused because their key was used for another request",
        MISMATCH);
    refused(
        registry,
        "idempotency.keys.malformed",
        "Requests refused because their key breaks the rule for keys",
        MALFORMED);
    refused(
        registry,
        "idempotency.keys.missing",
        "Requests refused because they had no key and needed one",
        MISSING);
    count(
        registry,
        "idempotency.unprotected",
        "Requests that ran without protection because the store did not answer",
        unprotected);
    count(
        registry,
        "idempotency.fallback",
        "Calls that the database answered because the Redis in front of it did not",
        fallbacks);
    refused(
        registry,
        "idempotency.outcomes.unknown",
        "Requests refused because the first one may have run, and no answer of it was recorded",
        OUTCOME_UNKNOWN);
    refused(
        registry,
        "idempotency.ownership.lost",
        "Answers that came after their request had lost its key to another, and were not recorded",
        OWNERSHIP_LOST);
    gauge(
        registry,
        "idempotency.processing.gauge",
        "Requests whose handler runs now, in this process",
        OnceMetrics::running);
    gauge(
        registry,
        "idempotency.keys.stored",
        "Records in the store, when it was last counted",
        m -> m.stored.processing() + m.stored.done() + m.stored.failed());
    gauge(
        registry,
        "idempotency.keys.abandoned",
        "Records of requests that crashed and wait for their crash policy, when last counted",
        m -> m.stored.abandoned());
  }

  private void count(MeterRegistry registry, String name, String description, LongAdder adder) {
    FunctionCounter.builder(name, adder, LongAdder::sum)
        .description(description)
        .register(registry);
  }

  private void refused(MeterRegistry registry, String name, String text, Reason... reasons) {
    sum(registry, name, text, metrics -> metrics.refused(reasons));
  }

  private LongAdder counter(Reason reason) {
    return Objects.requireNonNull(refusals.get(reason));
  }

  private double refused(Reason... reasons) {
    double sum = 0;
    for (Reason reason : reasons) {
      sum += counter(reason).sum();
    }
    return sum;
  }

  private void sum(
      MeterRegistry registry, String name, String text, ToDoubleFunction<OnceMetrics> value) {
    FunctionCounter.builder(name, this, value).description(text).register(registry);
  }

  private void gauge(
      MeterRegistry registry, String name, String text, ToDoubleFunction<OnceMetrics> value) {
    Gauge.builder(name, this, value).description(text).register(registry);
  }

  private double running() {
    return Math.max(0, misses.sum() - ended.sum());
  }

  /** What the store held when it was last asked. */
  public void stored(Counts counts) {
    stored = counts;
  }

  @Override
  public void fellBack() {
    fallbacks.increment();
  }

  @Override
  public void requestRefused(Origin origin, Refusal refusal) {
    refused(refusal);
  }

  @Override
  public void begun(Execution execution) {
    misses.increment();
    if (!execution.isProtected()) {
      unprotected.increment();
    }
  }

  @Override
  public void replayed(Operation operation, Answer answer) {
    hits.increment();
  }

  @Override
  public void refused(Operation operation, Refusal refusal) {
    refused(refusal);
  }

  @Override
  public void ended(Execution execution, Result result) {
    ended.increment();
    if (result instanceof Result.Refused refused) {
      refused(refused.refusal());
    }
  }

  @Override
  public void released(Execution execution) {
    ended.increment();
  }

  @Override
  public void abandoned(Execution execution) {
    ended.increment();
  }

  private void refused(Refusal refusal) {
    counter(refusal.reason()).increment();
  }
}
