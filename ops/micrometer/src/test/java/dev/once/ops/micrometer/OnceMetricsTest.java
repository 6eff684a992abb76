package dev.once.ops.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Body;
import dev.once.core.Refusal;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import dev.once.core.store.Inspection.Counts;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.Match;
import dev.once.http.semantics.Problems;
import dev.once.http.semantics.ProtectedRequest;
import dev.once.http.semantics.RequestHead;
import dev.once.http.semantics.Routes;
import dev.once.http.semantics.Rules;
import dev.once.http.semantics.ScopeRule;
import dev.once.http.semantics.Verdict;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class OnceMetricsTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final OnceMetrics metrics = new OnceMetrics(registry);
  private final ProtectedRequest request = request();

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
  void a_request_that_runs_without_the_engine_is_counted_until_it_ends() {
    metrics.begunWithoutEngine(request);
    assertThat(value("idempotency.misses")).isEqualTo(1);
    assertThat(value("idempotency.processing.gauge")).isEqualTo(1);
    metrics.unanswered(request, true);
    assertThat(value("idempotency.processing.gauge")).isZero();
  }

  @Test
  void a_call_that_a_second_store_answered_is_counted() {
    metrics.fellBack();
    assertThat(value("idempotency.fallback")).isEqualTo(1);
  }

  @Test
  void a_replay_is_a_hit_and_a_retry() {
    metrics.begun(request, new Begun.Replay(Answer.success(200, Body.EMPTY)));
    assertThat(value("idempotency.hits")).isEqualTo(1);
    assertThat(value("idempotency.cache.hit")).isEqualTo(1);
    assertThat(value("idempotency.retries")).isEqualTo(1);
    assertThat(value("idempotency.misses")).isZero();
  }

  @Test
  void busy_and_mismatch_are_conflicts_and_only_busy_is_a_conflict_in_progress() {
    metrics.begun(request, refuse(Reason.BUSY));
    metrics.begun(request, refuse(Reason.MISMATCH));
    assertThat(value("idempotency.conflicts")).isEqualTo(2);
    assertThat(value("idempotency.conflict")).isEqualTo(1);
    assertThat(value("idempotency.mismatches")).isEqualTo(1);
  }

  @Test
  void a_store_that_fails_and_an_answer_that_comes_too_late_are_seen() {
    metrics.begun(request, refuse(Reason.STORE_DOWN));
    metrics.ended(request, new Result.Refused(new Refusal(Reason.OWNERSHIP_LOST, "", null)));
    assertThat(value("idempotency.errors")).isEqualTo(1);
    assertThat(value("idempotency.ownership.lost")).isEqualTo(1);
  }

  @Test
  void a_bad_or_missing_key_is_counted() {
    metrics.turnedAway(request.head(), new Refusal(Reason.MISSING, "", null));
    metrics.turnedAway(request.head(), new Refusal(Reason.MALFORMED, "", null));
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

  private static Begun refuse(Reason reason) {
    return new Begun.Refuse(new Refusal(reason, "", null));
  }

  private static ProtectedRequest request() {
    Rules rules = new Rules("test", new Problems(URI.create("x:y")));
    RequestHead head =
        new RequestHead() {
          @Override
          public String method() {
            return "POST";
          }

          @Override
          public String path() {
            return "/";
          }

          @Override
          public String query() {
            return null;
          }

          @Override
          public List<String> headers(String name) {
            return name.equals("Idempotency-Key") ? List.of("k") : List.of();
          }

          @Override
          public boolean hasBody() {
            return true;
          }

          @Override
          public String client() {
            return null;
          }
        };
    Match match = Routes.all(HttpPolicy.DEFAULT).match(head);
    return ((Verdict.Protect) rules.look(head, match, () -> ScopeRule.DEFAULT.caller(head)))
        .request();
  }
}
