package dev.once.http.semantics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Bytes;
import dev.once.core.Header;
import dev.once.core.Refusal;
import dev.once.core.Refusal.Reason;
import dev.once.core.Refusal.Retry;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RefusalFormatTest {

  private static final HttpPolicy IETF = HttpProfile.IETF.policy();
  private static final HttpPolicy STRIPE = HttpProfile.STRIPE.policy();

  private final Problems problems = new Problems(URI.create("https://x.example/d"));

  private Reply reply(HttpPolicy policy, Reason reason) {
    return problems.reply(
        problems.of(policy, new Refusal(reason, "because", Duration.ofSeconds(1), "urn:once:1")));
  }

  @Test
  void a_problem_says_what_a_retry_can_do_and_the_id_that_the_log_has() {
    assertThat(reply(IETF, Reason.BUSY))
        .isEqualTo(
            new Reply(
                409,
                List.of(
                    new Header("Content-Type", "application/problem+json"),
                    new Header("Cache-Control", "no-store"),
                    new Header("Retry-After", "1")),
                Bytes.utf8(
                    "{\"type\":\"https://x.example/d#still-running\","
                        + "\"title\":\"The first request with this key still runs\","
                        + "\"status\":409,\"detail\":\"because\",\"instance\":\"urn:once:1\","
                        + "\"retry\":\"same-key\",\"retention\":\"PT24H\"}")));
  }

  @ParameterizedTest
  @CsvSource({
    "KEY_MISSING, new-key",
    "KEY_MALFORMED, new-key",
    "KEY_REUSED, new-key",
    "STILL_RUNNING, same-key",
    "OUTCOME_UNKNOWN, never",
    "TAKEN_OVER, same-key",
    "STORE_DOWN, same-key",
    "STORE_FULL, same-key",
    "BODY_TOO_LARGE, never",
    "BODY_TOO_SLOW, same-key",
    "TENANT_MISSING, never",
    "CALLER_UNKNOWN, never",
    "AMBIGUOUS, never",
    "BAD_REQUEST, never",
    "UPSTREAM_UNREACHABLE, same-key",
    "UPSTREAM_FAILED, same-key",
    "UPSTREAM_TIMEOUT, same-key",
    "OVERLOADED, same-key",
    "STOPPING, same-key"
  })
  void each_type_says_what_a_retry_can_do(ProblemType type, String retry) {
    Reply reply = problems.reply(problems.of(IETF, 400, type, "", null));
    assertThat(reply.body().toUtf8()).contains("\"retry\":\"" + retry + "\"");
  }

  @ParameterizedTest
  @EnumSource
  void each_reason_has_a_type_that_agrees_with_it(Reason reason) {
    assertThat(ProblemType.of(reason).retry()).isEqualTo(reason.retry());
    assertThat(ProblemType.of(reason).severity()).isEqualTo(reason.severity());
  }

  @Test
  void without_a_key_nothing_is_said_of_keys() {
    ProblemType type = ProblemType.UPSTREAM_FAILED;
    Problem problem = problems.withoutKey(IETF, 502, type, "because", null);
    assertThat(problem.retry()).isNull();
    assertThat(problems.reply(problem).body().toUtf8())
        .contains("\"instance\":\"" + problem.instance() + "\"")
        .doesNotContain("retry", "retention");
    Problem stripe = problems.withoutKey(STRIPE, 502, type, "because", null);
    assertThat(problems.reply(stripe).headers())
        .extracting(Header::name)
        .doesNotContain("Stripe-Should-Retry");
  }

  @Test
  void what_never_helps_is_said_without_a_key_too() {
    ProblemType type = ProblemType.BAD_REQUEST;
    assertThat(problems.withoutKey(IETF, 400, type, "", null).retry()).isEqualTo(Retry.NEVER);
  }

  @Test
  void the_stripe_profile_answers_as_stripe_does() {
    assertThat(reply(STRIPE, Reason.MISMATCH))
        .isEqualTo(
            new Reply(
                400,
                List.of(
                    new Header("Content-Type", "application/json"),
                    new Header("Cache-Control", "no-store"),
                    new Header("Retry-After", "1"),
                    new Header("Request-Id", "urn:once:1"),
                    new Header("Stripe-Should-Retry", "false")),
                Bytes.utf8(
                    "{\"error\":{\"type\":\"idempotency_error\",\"code\":\"key_reused\","
                        + "\"doc_url\":\"https://x.example/d#key-reused\","
                        + "\"message\":\"because\",\"retention\":\"PT24H\"}}")));
  }

  @ParameterizedTest
  @CsvSource({
    "BUSY, 409, idempotency_error, idempotency_key_in_use, true",
    "OWNERSHIP_LOST, 409, idempotency_error, taken_over, true",
    "OUTCOME_UNKNOWN, 409, api_error, outcome_unknown, false",
    "MISSING, 400, invalid_request_error, key_missing, false",
    "MALFORMED, 400, invalid_request_error, key_malformed, false",
    "STORE_DOWN, 503, api_error, store_down, true",
    "OVER_QUOTA, 503, api_error, store_full, true"
  })
  void stripe_knows_each_reason_by_a_type_of_its_own(
      Reason reason, int status, String type, String code, String again) {
    Reply reply = reply(STRIPE, reason);
    assertThat(reply.status()).isEqualTo(status);
    assertThat(reply.body().toUtf8())
        .startsWith("{\"error\":{\"type\":\"" + type + "\",\"code\":\"" + code + "\"");
    assertThat(reply.headers()).contains(new Header("Stripe-Should-Retry", again));
  }

  @Test
  void without_a_page_stripe_s_error_links_to_none() {
    Problems noPage = new Problems(Problems.NO_PAGE);
    Refusal refusal = new Refusal(Reason.BUSY, "because", null);
    assertThat(noPage.reply(noPage.of(STRIPE, refusal)).body().toUtf8()).doesNotContain("doc_url");
  }

  @Test
  void a_format_of_the_application_s_own_takes_the_place_of_all_others() {
    Reply own = new Reply(499, List.of(), Bytes.utf8("ours"));
    Problems ours = new Problems(Problems.NO_PAGE, problem -> own);
    assertThat(ours.reply(ours.of(STRIPE, new Refusal(Reason.BUSY, "", null)))).isEqualTo(own);
  }

  @Test
  void a_format_that_fails_does_not_take_the_refusal_away() {
    Problems broken =
        new Problems(
            Problems.NO_PAGE,
            problem -> {
              throw new IllegalStateException("broken");
            });
    Reply reply = broken.reply(broken.of(IETF, new Refusal(Reason.BUSY, "because", null)));
    assertThat(reply.status()).isEqualTo(409);
    assertThat(reply.body().toUtf8()).contains("still-running");
  }

  @Test
  void a_format_whose_reply_cannot_be_sent_has_failed_too() {
    RefusalFormat noBody = problem -> new Reply(409, List.of(), null);
    RefusalFormat noStatus = problem -> new Reply(0, List.of(), Bytes.EMPTY);
    RefusalFormat endless =
        problem -> {
          throw new StackOverflowError();
        };
    RefusalFormat splitting = problem -> withField(problem, "X-Detail", "a\r\nSet-Cookie: b");
    RefusalFormat misnamed = problem -> withField(problem, "X Detail", "a");
    RefusalFormat measured = problem -> withField(problem, "Content-Length", "99");
    for (RefusalFormat format : List.of(noBody, noStatus, endless, splitting, misnamed, measured)) {
      Problems broken = new Problems(Problems.NO_PAGE, format);
      Reply reply = broken.reply(broken.of(IETF, new Refusal(Reason.BUSY, "because", null)));
      assertThat(reply.status()).isEqualTo(409);
      assertThat(reply.body().toUtf8()).contains("still-running");
    }
  }

  private static Reply withField(Problem problem, String name, String value) {
    return new Reply(problem.status(), List.of(new Header(name, value)), Bytes.EMPTY);
  }

  @Test
  void two_refusals_never_have_the_same_id() {
    Refusal one = new Refusal(Reason.BUSY, "", null);
    assertThat(one.id()).matches("urn:once:[0-9a-f]{24}");
    assertThat(new Refusal(Reason.BUSY, "", null).id()).isNotEqualTo(one.id());
  }
}
