package dev.once.http.semantics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Bytes;
import dev.once.core.Header;
import dev.once.core.Outcome;
import dev.once.core.Refusal;
import dev.once.core.Refusal.Reason;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class AnswersTest {

  private final ProtectedRequest request = request(HttpPolicy.DEFAULT);

  private static ProtectedRequest request(HttpPolicy policy) {
    TestRules rules =
        new TestRules(
            Routes.all(policy), ScopeRule.DEFAULT, new Problems(URI.create("https://x.example/d")));
    return ((Verdict.Protect) rules.look(TestHead.post(policy.keyHeader(), "k"))).request();
  }

  private static List<Header> headers(String... fields) {
    return java.util.stream.IntStream.range(0, fields.length / 2)
        .mapToObj(i -> new Header(fields[2 * i], fields[2 * i + 1]))
        .toList();
  }

  @Test
  void what_is_secret_or_of_the_moment_is_not_recorded() {
    Answer answer =
        request
            .answer(
                201,
                headers(
                    "Connection", "close, X-Hop",
                    "X-Hop", "1",
                    "Keep-Alive", "5",
                    "Set-Cookie", "sid=1",
                    "Date", "now",
                    "WWW-Authenticate", "Basic",
                    "Transfer-Encoding", "chunked",
                    "Content-Length", "3",
                    "Idempotent-Replayed", "true",
                    "Location", "/payments/1",
                    "Link", "<a>",
                    "Link", "<b>"),
                Body.of("abc"))
            .orElseThrow();
    assertThat(answer.headers())
        .containsExactly(
            new Header("Location", "/payments/1"),
            new Header("Link", "<a>"),
            new Header("Link", "<b>"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\rb", "a\nb", "a\0b"})
  void a_header_that_would_end_early_is_refused_at_recording_and_at_replay(String value) {
    List<Header> split = headers("X-A", value);
    assertThatThrownBy(() -> request.answer(200, split, Body.EMPTY))
        .hasMessage("header X-A: a CR, LF or NUL at 1 (expected: none)");
    Answer planted = new Answer(Outcome.SUCCESS, 200, split, Body.EMPTY);
    Reply replay = request.replay(planted);
    assertThat(replay.status()).isEqualTo(500);
    assertThat(replay.body().toUtf8()).contains("outcome-unknown", "cannot be replayed");
    assertThat(replay.headers()).noneMatch(header -> header.name().equals("X-A"));
  }

  @ParameterizedTest
  @CsvSource({"200,SUCCESS", "302,SUCCESS", "404,REJECTION", "409,REJECTION", "500,FAILURE"})
  void the_status_says_how_it_ended(int status, Outcome outcome) {
    assertThat(request.answer(status, List.of(), Body.EMPTY).orElseThrow().outcome())
        .isEqualTo(outcome);
  }

  @ParameterizedTest
  @CsvSource({
    "307,false",
    "308,false",
    "401,false",
    "407,false",
    "421,false",
    "425,false",
    "429,false",
    "300,true",
    "301,true",
    "302,true",
    "303,true",
    "304,true",
    "305,true",
    "400,true",
    "403,true",
    "408,true",
    "409,true",
    "412,true",
    "413,true",
    "414,true",
    "431,true",
    "503,true"
  })
  void not_here_not_now_and_not_you_are_never_recorded(int status, boolean recorded) {
    assertThat(request.answer(status, List.of(), Body.EMPTY).isPresent()).isEqualTo(recorded);
  }

  @Test
  void a_replay_has_the_same_status_headers_and_bytes_and_a_marker() {
    Answer answer = request.answer(201, headers("Location", "/p/1"), Body.of("abc")).orElseThrow();
    assertThat(request.replay(answer))
        .isEqualTo(
            new Reply(
                201,
                headers("Location", "/p/1", "Idempotent-Replayed", "true"),
                Bytes.utf8("abc")));
    assertThat(request(HttpProfile.PORTAL.policy()).replay(answer).headers())
        .contains(new Header("X-Idempotency-Replay", "true"));
  }

  @Test
  void the_replay_of_an_answer_too_large_to_keep_says_so_and_where_to_look() {
    Answer answer =
        request
            .answer(
                201,
                headers("Location", "/p/\"1\"", "Content-Type", "text/csv", "ETag", "x"),
                new Body.Digest(5_000_000, Bytes.wrap(new byte[32])))
            .orElseThrow();
    Reply reply = request.replay(answer);
    assertThat(reply.status()).isEqualTo(201);
    assertThat(reply.headers())
        .containsExactly(
            new Header("Location", "/p/\"1\""),
            new Header("Idempotent-Replayed", "true"),
            new Header("Content-Type", "application/json"));
    assertThat(reply.body().toUtf8())
        .contains("\"bytes\":5000000", "\"sha256\":\"0000", "\"get\":\"/p/\\\"1\\\"\"");
  }

  @Test
  void the_replay_of_a_status_alone_names_the_path_of_the_request() {
    Answer answer = request.answer(200, List.of(), new Body.Omitted()).orElseThrow();
    assertThat(request.replay(answer).body().toUtf8()).contains("\"get\":\"/payments\"");
    Answer empty = request.answer(204, List.of(), new Body.Omitted()).orElseThrow();
    assertThat(request.replay(empty).body()).isEqualTo(Bytes.EMPTY);
  }

  @ParameterizedTest
  @CsvSource({
    "MISSING, 400, key-missing",
    "MALFORMED, 400, key-malformed",
    "MISMATCH, 422, key-reused",
    "BUSY, 409, still-running",
    "STORE_DOWN, 503, store-down",
    "OVER_QUOTA, 503, store-full",
    "OUTCOME_UNKNOWN, 409, outcome-unknown",
    "OWNERSHIP_LOST, 409, taken-over"
  })
  void a_refusal_is_a_problem_that_links_to_the_page_and_states_the_retention(
      Reason reason, int status, String anchor) {
    Reply reply = request.refuse(new Refusal(reason, "because", Duration.ofMillis(1500)));
    assertThat(reply.status()).isEqualTo(status);
    assertThat(reply.headers())
        .contains(
            new Header("Content-Type", "application/problem+json"), new Header("Retry-After", "2"));
    assertThat(reply.body().toUtf8())
        .contains("\"type\":\"https://x.example/d#" + anchor + "\"")
        .contains("\"status\":" + status)
        .contains("\"detail\":\"because\"")
        .contains("\"retention\":\"PT24H\"");
  }

  @Test
  void a_code_of_the_services_own_is_replayed_too() {
    Answer answer = request.answer(999, List.of(), Body.of("odd")).orElseThrow();
    assertThat(request.replay(answer).status()).isEqualTo(999);
  }

  @Test
  void the_statuses_for_mismatch_and_busy_are_the_policy_s() {
    ProtectedRequest other =
        request(HttpPolicy.DEFAULT.with(p -> p.mismatchStatus(400).busyStatus(425)));
    assertThat(other.refuse(new Refusal(Reason.MISMATCH, "", null)).status()).isEqualTo(400);
    assertThat(other.refuse(new Refusal(Reason.BUSY, "", null)).status()).isEqualTo(425);
    assertThat(other.tooLarge().status()).isEqualTo(413);
  }
}
