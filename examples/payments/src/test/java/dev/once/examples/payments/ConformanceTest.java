package dev.once.examples.payments;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.conformance.Conformance;
import dev.once.http.conformance.ErrorPolicy;
import dev.once.http.conformance.KeyStyle;
import dev.once.http.conformance.Listener;
import dev.once.http.conformance.Required;
import dev.once.http.conformance.Target;
import dev.once.http.conformance.TargetBuilder;
import dev.once.http.conformance.report.Outcome;
import dev.once.http.conformance.report.Report;
import dev.once.http.conformance.report.Result;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The conformance suite against the example; which rules it cannot judge there is said, too. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class ConformanceTest {

  private static final String SLOW = "--payments.slow-card=400ms";

  /** A key is optional here, and no cookie is ever set. */
  private static final Set<String> NOT_ASKED = Set.of("draft-2.7-missing", "beyond-cookie");

  /** A duplicate of a charge waits for the first one, so nobody is told to come back. */
  private static final Set<String> NOBODY_IS_SENT_AWAY =
      Set.of("beyond-retry-after", "draft-2.6-after-conflict");

  @Test
  void charges_keep_every_rule() {
    try (Example example = Example.start(SLOW)) {
      assertConforms(charges(example).build(), NOBODY_IS_SENT_AWAY);
    }
  }

  @Test
  void charges_keep_every_rule_under_the_profile_portal() {
    try (Example example = Example.start(SLOW, "--once.profile=portal")) {
      Target target =
          charges(example)
              .keyHeader("X-Idempotency-Key")
              .keyStyle(KeyStyle.UUID)
              .marker("X-Idempotency-Replay: true")
              .build();
      assertConforms(target, NOBODY_IS_SENT_AWAY);
    }
  }

  @Test
  void refunds_keep_every_rule() {
    try (Example example = Example.start(SLOW)) {
      String refund = "{\"amount\":1,\"reason\":\"" + Target.UNIQUE + "\"}";
      Client alice = example.client("alice");
      Target target =
          target(example, alice.charged("tok_slow") + "/refunds")
              .body(refund)
              .slowBody(refund)
              .rejectBody(refund.replace(":1,", ":0,"))
              .failUrl(example.url().resolve(alice.charged("tok_oneway") + "/refunds").toString())
              .build();
      assertConforms(target, Set.of());
    }
  }

  /** What fails in a charge's transaction is rolled back, and its key with it. */
  private static TargetBuilder charges(Example example) {
    String charge = "{\"amount\":100,\"card\":\"tok_visa\",\"reference\":\"%s\"}";
    String body = charge.formatted(Target.UNIQUE);
    return target(example, "/charges")
        .body(body)
        .slowBody(body.replace("tok_visa", "tok_slow"))
        .rejectBody(body.replace("tok_visa", "tok_declined"))
        .failBody(body.replace("tok_visa", "tok_offline"))
        .failures(ErrorPolicy.RELEASED);
  }

  private static TargetBuilder target(Example example, String path) {
    return Target.at(example.url().resolve(path).toString())
        .header("Authorization: " + example.client("alice").authorization())
        .secondHeader("Authorization: " + example.client("bob").authorization())
        .countUrl(example.url() + "/ledger")
        .countPointer("/entries")
        .required(Required.NO)
        .strict(true);
  }

  private static void assertConforms(Target target, Set<String> notObserved) {
    Report report = Conformance.run(target, Listener.NONE);
    List<Result> open =
        report.results().stream().filter(it -> it.outcome() != Outcome.PASSED).toList();
    Set<String> notJudged = new TreeSet<>(NOT_ASKED);
    notJudged.addAll(notObserved);
    assertThat(report.failed()).as(report.verdict()).isEmpty();
    assertThat(open)
        .extracting(it -> it.rule().id())
        .as(open.toString())
        .containsExactlyInAnyOrderElementsOf(notJudged);
  }
}
