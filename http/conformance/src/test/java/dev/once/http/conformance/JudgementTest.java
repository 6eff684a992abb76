package dev.once.http.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.conformance.report.Outcome;
import dev.once.http.conformance.report.Report;
import dev.once.http.conformance.wire.Backoff;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is skipped or not seen says so, and never counts as passed. */
class JudgementTest {

  @Test
  @DisplayName("with nothing but a URL, what is skipped names the flag it needs")
  void with_nothing_but_a_url_what_is_skipped_names_the_flag_it_needs() {
    Map<String, String> flags =
        Map.of(
            "draft-2.6-effect", "--count-url",
            "draft-2.6-rejection", "--reject-body",
            "draft-2.6-failure", "--fail-body",
            "beyond-credentials", "--second-header",
            "beyond-mismatch-first", "--slow-header or --slow-body",
            "beyond-disconnect", "--slow-header or --slow-body");
    try (JdkFront server = JdkFront.of(ServerBehaviour.IETF)) {
      Report report = ConformanceRuns.run(Target.at(server.url("/orders")));
      assertThat(ConformanceRuns.ids(report, Outcome.SKIPPED)).isEqualTo(flags.keySet());
      flags.forEach(
          (id, flag) ->
              assertThat(ConformanceRuns.detail(report, id))
                  .singleElement()
                  .asString()
                  .startsWith("needs " + flag + ":"));
      assertThat(report.failed()).isEmpty();
      assertThat(report.missing()).isEmpty();
    }
  }

  @Test
  @DisplayName("without a placeholder in the body there is no other payload to send")
  void without_a_placeholder_in_the_body_there_is_no_other_payload_to_send() {
    try (JdkFront server = JdkFront.of(ServerBehaviour.IETF)) {
      Report report =
          ConformanceRuns.run(server.target().body("plain").contentType("text/plain").noMarker());
      Map<String, String> flags =
          Map.of(
              "draft-2.2-reuse", "--body with {unique}",
              "draft-2.7-reuse-status", "--body with {unique}",
              "draft-2.6-reuse-original", "--body with {unique}",
              "draft-2.7-missing", "--required yes",
              "beyond-json", "--body",
              "beyond-mismatch-first", "--slow-body with {unique}",
              "beyond-marker", "--marker",
              "beyond-marker-only", "--marker");
      assertThat(ConformanceRuns.ids(report, Outcome.SKIPPED)).isEqualTo(flags.keySet());
      flags.forEach(
          (id, flag) ->
              assertThat(ConformanceRuns.detail(report, id))
                  .singleElement()
                  .asString()
                  .startsWith("needs " + flag + ":"));
    }
  }

  @Test
  @DisplayName("an endpoint whose answers all look the same is not believed to replay them")
  void an_endpoint_whose_answers_all_look_the_same_is_not_believed_to_replay_them() {
    try (JdkFront server = JdkFront.of(in -> Outgoing.of(200, "application/json", "{\"ok\":1}"))) {
      Report report = ConformanceRuns.run(Target.at(server.url("/")).slowHeader("X-Slow: true"));
      assertThat(ConformanceRuns.ids(report, Outcome.NOT_OBSERVED))
          .contains(
              "draft-2.6-replay",
              "draft-2.2-keys",
              "draft-2.6-reuse-original",
              "draft-2.6-concurrent-once",
              "draft-2.7-concurrent-409",
              "draft-2.6-after-conflict",
              "beyond-same-payload",
              "beyond-quotes",
              "beyond-json",
              "beyond-other-path",
              "beyond-other-query");
      assertThat(ConformanceRuns.ids(report, Outcome.FAILED))
          .containsExactlyInAnyOrder(
              "draft-2.1-empty",
              "draft-2.1-unbalanced",
              "draft-2.1-non-ascii",
              "draft-2.1-repeated",
              "draft-5-too-long",
              "draft-2.2-reuse",
              "draft-2.7-reuse-status",
              "beyond-marker",
              "beyond-mismatch-first");
      assertThat(ConformanceRuns.detail(report, "draft-2.6-concurrent-once"))
          .singleElement()
          .asString()
          .contains("--count-url");
    }
  }

  @Test
  @DisplayName("refusals that are worded in another way than described are noticed")
  void refusals_that_are_worded_in_another_way_than_described_are_noticed() {
    try (JdkFront server = JdkFront.of(ServerBehaviour.IETF)) {
      Report report = ConformanceRuns.run(server.target().refusals(RefusalStyle.STRIPE));
      assertThat(ConformanceRuns.detail(report, "beyond-problem"))
          .asString()
          .contains("application/json with type, message in error");
    }
  }

  @Test
  @DisplayName("a counter sees what answers hide")
  void a_counter_sees_what_answers_hide() {
    OrderService orders = new OrderService();
    try (JdkFront server =
        JdkFront.of(
            in -> {
              Outgoing answer = orders.handle(in, () -> {});
              return in.method().equals("GET")
                  ? answer
                  : Outgoing.of(200, "application/json", "{\"ok\":1}");
            })) {
      Report report =
          ConformanceRuns.run(Target.at(server.url("/orders")).countUrl(server.url("/count")));
      assertThat(ConformanceRuns.ids(report, Outcome.FAILED))
          .contains("draft-2.6-effect", "draft-2.6-concurrent-once", "draft-2.2-reuse");
      assertThat(ConformanceRuns.ids(report, Outcome.NOT_OBSERVED)).contains("draft-2.6-replay");
    }
  }

  @Test
  @DisplayName("the marker tells a replayed error from an error that came again")
  void the_marker_tells_a_replayed_error_from_an_error_that_came_again() {
    try (JdkFront server =
        JdkFront.of(constantErrors(new ReferenceServer(ServerBehaviour.IETF, Set.of())))) {
      assertThat(ConformanceRuns.ids(ConformanceRuns.run(server.target()), Outcome.PASSED))
          .contains("draft-2.6-rejection", "draft-2.6-failure");
      assertThat(
              ConformanceRuns.ids(
                  ConformanceRuns.run(server.target().noMarker()), Outcome.NOT_OBSERVED))
          .contains("draft-2.6-rejection", "draft-2.6-failure");
    }
  }

  private static Function<Incoming, Outgoing> constantErrors(ReferenceServer server) {
    return request -> {
      Outgoing answer = server.handle(request);
      boolean error = answer.body().contains("incident");
      return error ? new Outgoing(answer.status(), answer.headers(), "sorry") : answer;
    };
  }

  @Test
  @DisplayName("a counter that breaks during the run does not end it")
  void a_counter_that_breaks_during_the_run_does_not_end_it() {
    OrderService orders = new OrderService();
    AtomicInteger asked = new AtomicInteger();
    try (JdkFront server =
        JdkFront.of(
            in ->
                in.path().equals("/count") && asked.incrementAndGet() > 1
                    ? Outgoing.of(200, "text/plain", "out of order")
                    : orders.handle(in, () -> {}))) {
      Report report =
          ConformanceRuns.run(Target.at(server.url("/orders")).countUrl(server.url("/count")));
      assertThat(ConformanceRuns.detail(report, "draft-2.6-first"))
          .singleElement()
          .asString()
          .startsWith("count-url:");
    }
  }

  @Test
  @DisplayName("an error that was asked for and did not come is not judged")
  void an_error_that_was_asked_for_and_did_not_come_is_not_judged() {
    try (JdkFront server = JdkFront.of(ServerBehaviour.IETF)) {
      Report report = ConformanceRuns.run(Target.at(server.url("/orders")).rejectBody("{\"a\":1}"));
      assertThat(ConformanceRuns.ids(report, Outcome.NOT_OBSERVED)).contains("draft-2.6-rejection");
    }
  }

  @Test
  @DisplayName("a server that hangs on retries is reported, and not waited for")
  void a_server_that_hangs_on_retries_is_reported_and_not_waited_for() {
    Set<String> seen = ConcurrentHashMap.newKeySet();
    OrderService orders = new OrderService();
    try (JdkFront server =
        JdkFront.of(
            in -> {
              if (!seen.add(in.first("Idempotency-Key"))) {
                Backoff.sleep(60_000);
              }
              return orders.handle(in, () -> {});
            })) {
      Report report =
          ConformanceRuns.run(
              Target.at(server.url("/orders")).requestTimeout(Duration.ofSeconds(3)));
      assertThat(ConformanceRuns.detail(report, "draft-2.6-replay"))
          .first()
          .isEqualTo("expected: an answer");
      assertThat(ConformanceRuns.detail(report, "draft-2.6-replay"))
          .last()
          .isEqualTo("got:  no answer within 3000 ms");
    }
  }

  @Test
  @DisplayName("a link in a header field, or anywhere in the body, documents a refusal")
  void a_link_in_a_header_field_or_anywhere_in_the_body_documents_a_refusal() {
    ReferenceServer server =
        new ReferenceServer(ServerBehaviour.IETF, Set.of(Defect.PLAIN_TEXT_REFUSALS));
    for (boolean inBody : new boolean[] {true, false}) {
      try (JdkFront front = JdkFront.of(request -> linked(server.handle(request), inBody))) {
        Report report = ConformanceRuns.run(Target.at(front.url("/orders")));
        assertThat(ConformanceRuns.ids(report, Outcome.PASSED))
            .as(() -> ConformanceRuns.table(report))
            .contains("draft-2.7-described");
      }
    }
  }

  private static Outgoing linked(Outgoing answer, boolean inBody) {
    if (answer.status() != 422 && answer.status() != 409) { // a burst may or may not meet a 409
      return answer;
    }
    String body = "{\"error\":{\"doc_url\":\"http://once.invalid/docs\"}}";
    return inBody
        ? Outgoing.of(answer.status(), "application/json", body)
        : answer.with("Link", "</docs>; rel=\"describedby\"; type=\"text/html\"");
  }

  @Test
  @DisplayName("a burst of fast requests passes, or is not observed, and never fails a good server")
  void a_burst_of_fast_requests_never_fails_a_good_server() {
    try (JdkFront server = JdkFront.of(ServerBehaviour.IETF)) {
      Report report =
          ConformanceRuns.run(
              Target.at(server.url("/orders")).countUrl(server.url("/count")).parallel(16));
      assertThat(ConformanceRuns.ids(report, Outcome.FAILED)).isEmpty();
      assertThat(ConformanceRuns.ids(report, Outcome.SKIPPED))
          .doesNotContain("draft-2.6-concurrent-once", "draft-2.7-concurrent-409");
    }
  }
}
