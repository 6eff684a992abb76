package dev.once.ops.micrometer;

import dev.once.core.Begun;
import dev.once.core.Refusal;
import dev.once.core.Result;
import dev.once.core.store.Inspection.Counts;
import dev.once.http.semantics.Observer;
import dev.once.http.semantics.ProtectedRequest;
import dev.once.http.semantics.RequestHead;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;

/**
 * Counts what becomes of requests, under the names that people know. Several names show the same
 * count: a request costs one addition for each thing that happened to it, not for each name.
 *
 * <p>No key, tenant or user is ever a tag.
 */
public final class OnceMetrics implements Observer {

  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder busy = new LongAdder();
  private final LongAdder mismatches = new LongAdder();
  private final LongAdder malformed = new LongAdder();
  private final LongAdder missing = new LongAdder();
  private final LongAdder storeErrors = new LongAdder();
  private final LongAdder unknownOutcomes = new LongAdder();
  private final LongAdder lostOwnerships = new LongAdder();
  private final LongAdder unprotected = new LongAdder();
  private final LongAdder ended = new LongAdder();

  /** For stores with another behind them; the others never fall back. See {@link #fellBack}. */
  private final LongAdder fallbacks = new LongAdder();

  private volatile Counts stored = new Counts(0, 0, 0, 0);

  public OnceMetrics(MeterRegistry registry) {
    count(registry, "idempotency.hits", "Requests answered with a recorded answer", hits);
    count(registry, "idempotency.cache.hit", "The same as idempotency.hits", hits);
    count(registry, "idempotency.misses", "Requests that ran", misses);
    count(registry, "idempotency.cache.miss", "The same as idempotency.misses", misses);
    count(registry, "idempotency.conflict", "Requests refused while the first one ran", busy);
    sum(
        registry,
        "idempotency.conflicts",
        "Requests refused because their key was taken: still running, or used for another request",
        m -> m.busy.sum() + m.mismatches.sum());
    sum(
        registry,
        "idempotency.retries",
        "Requests whose key was known already",
        m -> m.hits.sum() + m.busy.sum() + m.unknownOutcomes.sum());
    sum(
        registry,
        "idempotency.errors",
        "Requests that the store could not protect or record",
        m -> m.storeErrors.sum() + m.unprotected.sum());
    count(registry, "idempotency.mismatches", "Keys used for another request", mismatches);
    count(registry, "idempotency.keys.malformed", "Requests with a bad key", malformed);
    count(registry, "idempotency.keys.missing", "Requests without a required key", missing);
    count(registry, "idempotency.unprotected", "Requests that ran without a store", unprotected);
    count(registry, "idempotency.fallback", "Calls that a second store answered", fallbacks);
    count(registry, "idempotency.outcomes.unknown", "Requests told so", unknownOutcomes);
    count(registry, "idempotency.ownership.lost", "Answers that came too late", lostOwnerships);
    gauge(registry, "idempotency.processing.gauge", "Requests that run", OnceMetrics::running);
    gauge(
        registry,
        "idempotency.keys.stored",
        "Records in the store, when last counted",
        m -> m.stored.processing() + m.stored.done() + m.stored.failed());
    gauge(
        registry,
        "idempotency.keys.abandoned",
        "Records of requests that never ended, when last counted",
        m -> m.stored.abandoned());
  }

  private void count(MeterRegistry registry, String name, String description, LongAdder adder) {
    FunctionCounter.builder(name, adder, LongAdder::sum)
        .description(description)
        .register(registry);
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

  /**
   * The store in front gave no reply, and the one behind it was asked: what a tiered store is to
   * call.
   */
  public void fellBack() {
    fallbacks.increment();
  }

  @Override
  public void turnedAway(RequestHead head, Refusal refusal) {
    refused(refusal);
  }

  @Override
  public void begun(ProtectedRequest request, Begun begun) {
    if (begun instanceof Begun.Proceed proceed) {
      misses.increment();
      if (!proceed.execution().isProtected()) {
        unprotected.increment();
      }
    } else if (begun instanceof Begun.Replay) {
      hits.increment();
    } else if (begun instanceof Begun.Refuse refuse) {
      refused(refuse.refusal());
    }
  }

  @Override
  public void begunWithoutEngine(ProtectedRequest request) {
    misses.increment();
  }

  @Override
  public void ended(ProtectedRequest request, Result result) {
    ended.increment();
    if (result instanceof Result.Refused refused) {
      refused(refused.refusal());
    }
  }

  @Override
  public void unanswered(ProtectedRequest request, boolean released) {
    ended.increment();
  }

  private void refused(Refusal refusal) {
    LongAdder counter =
        switch (refusal.reason()) {
          case MISSING -> missing;
          case MALFORMED -> malformed;
          case MISMATCH -> mismatches;
          case BUSY -> busy;
          case STORE_DOWN, OVER_QUOTA -> storeErrors;
          case OUTCOME_UNKNOWN -> unknownOutcomes;
          case OWNERSHIP_LOST -> lostOwnerships;
        };
    counter.increment();
  }
}
