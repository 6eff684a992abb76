package dev.once.cli.process;

import static dev.once.cli.process.Reply.assertReplayed;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two gateways on one store that were configured differently, as while a change is rolled out. The
 * store decides who runs, so nothing runs twice for one identity; what differs is what a client is
 * told. Where the configurations do not agree on whose key it is, or on what was asked, there is no
 * common identity: the guide says so.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class TwoConfigurationsTest {

  private static final String ONE =
      """
      store: sqlite:shared.db
      lease: 300s
      routes:
        - match: POST /critical/**
          critical-headers: X-Version
      """;

  private static final String OTHER =
      """
      store: sqlite:shared.db
      lease: 6s
      profile: stripe
      refusal-format: problem
      retention: 1h
      max-stored-body: 1k
      max-request-body: 2k
      on-crash: run-again
      key-min-length: 20
      busy-status: 425
      replay-marker: X-Replay
      """;

  @TempDir private static Path folder;
  private static Upstream upstream;
  private static GatewayProcess one;
  private static GatewayProcess other;
  private static Client atOne;
  private static Client atOther;
  private final String key = UUID.randomUUID().toString();

  @BeforeAll
  static void start() throws Exception {
    upstream = new Upstream(201);
    one = start("one.yaml", ONE);
    other = start("other.yaml", OTHER);
    atOne = Client.of(one).with("Authorization", "Bearer alice");
    atOther = new Client(other.url(), "Idempotency-Key", "X-Replay", atOne.headers());
  }

  private static GatewayProcess start(String name, String yaml) throws Exception {
    Path file = Files.writeString(folder.resolve(name), yaml);
    return GatewayProcess.start(upstream.url(), folder, "--config", file.toString());
  }

  @AfterAll
  static void stop() {
    one.close();
    other.close();
    upstream.close();
  }

  @Test
  void an_answer_of_one_is_replayed_by_the_other_with_its_own_marker() {
    Reply first = atOne.post("/replayed", key);
    assertReplayed(atOther.post("/replayed", key), first);
    String another = UUID.randomUUID().toString();
    Reply second = atOther.post("/replayed", another);
    assertReplayed(atOne.post("/replayed", another), second);
    assertThat(upstream.executions("/replayed")).hasSize(2);
  }

  @Test
  void what_runs_at_one_is_busy_at_the_other_whose_leases_are_shorter() throws Exception {
    Hold hold = upstream.hold("/busy");
    CompletableFuture<Reply> held = atOne.start("/busy", key);
    hold.awaitArrival();
    Reply busy = atOther.post("/busy", key);
    assertThat(busy.status()).isEqualTo(425);
    assertThat(busy.problem()).isEqualTo("still-running");
    hold.release();
    Reply first = Client.await(held);
    assertReplayed(atOther.post("/busy", key), first);
    assertThat(upstream.executions("/busy")).hasSize(1);
  }

  @Test
  void another_request_with_the_key_is_refused_by_both_each_with_its_own_status() {
    atOne.post("/mismatch", key);
    assertThat(atOne.post("/mismatch", key, "{\"amount\":2}").status()).isEqualTo(422);
    assertThat(atOther.post("/mismatch", key, "{\"amount\":2}").status()).isEqualTo(400);
    assertThat(upstream.executions("/mismatch")).hasSize(1);
  }

  /** The size that is recorded is of who recorded it; who replays gives what there is. */
  @Test
  void an_answer_larger_than_the_other_would_keep_is_replayed_whole() {
    upstream.planSize("/large", 10_000);
    Reply first = atOne.post("/large", key);
    assertReplayed(atOther.post("/large", key), first);
    String another = UUID.randomUUID().toString();
    Reply notKept = atOther.post("/large", another);
    assertThat(notKept.text()).hasSizeGreaterThan(10_000);
    Reply told = atOne.post("/large", another);
    assertThat(told.marked()).isTrue();
    assertThat(told.status()).isEqualTo(201);
    assertThat(told.text()).contains("sha256").hasSizeLessThan(1_000);
    assertThat(upstream.executions("/large")).hasSize(2);
  }

  @Test
  void a_key_that_the_rules_of_one_do_not_allow_is_refused_there_and_not_run() {
    Reply first = atOne.post("/short", "short");
    assertThat(atOther.post("/short", "short").problem()).isEqualTo("key-malformed");
    assertReplayed(atOne.post("/short", "short"), first);
    assertThat(upstream.executions("/short")).hasSize(1);
  }

  /** A header that only one of them counts makes another request of it, and that is refused. */
  @Test
  void a_critical_header_that_only_one_knows_makes_the_retry_another_request() {
    Client version = atOne.with("X-Version", "2");
    Reply first = version.post("/critical/1", key);
    assertThat(atOther.with("X-Version", "2").post("/critical/1", key).status()).isEqualTo(400);
    assertReplayed(version.post("/critical/1", key), first);
    assertThat(upstream.executions("/critical/1")).hasSize(1);
  }

  @Test
  void a_gateway_that_is_killed_leaves_its_key_to_the_policy_of_whoever_is_asked()
      throws Exception {
    Hold hold = upstream.hold("/killed");
    try (GatewayProcess third = start("third.yaml", OTHER)) {
      atOther.at(third).start("/killed", key);
      hold.awaitArrival();
      third.kill();
    }
    Reply asked =
        Eventually.get(
            "the end of its lease",
            () -> atOne.post("/killed", key),
            reply -> !reply.problem().equals("still-running"));
    assertThat(asked.problem()).isEqualTo("outcome-unknown");
    assertThat(upstream.executions("/killed")).hasSize(1);
    assertThat(atOther.post("/killed", key).status()).isEqualTo(201);
    assertThat(upstream.executions("/killed")).extracting(Execution::attempt).containsExactly(1, 2);
  }
}
