package dev.once.cli.process;

import static dev.once.cli.process.Reply.assertReplayed;
import static org.assertj.core.api.Assertions.assertThat;

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

/** Gateways that are killed, paused and told to stop, and others on the same SQLite file. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class CrashTest {

  private static final String AGAIN = "/run-again/payments";
  private static final String UNKNOWN = "/outcome-unknown/payments";
  private static final String HELD = "/hold/payments";

  private static final String ROUTES =
      """
      store: sqlite:once.db
      lease: 6s
      routes:
        - match: POST /run-again/**
          on-crash: run-again
        - match: POST /outcome-unknown/**
          on-crash: outcome-unknown
        - match: POST /hold/**
          on-crash: hold
        - match: POST /short-lease/**
          on-crash: run-again
          lease: 4s
      """;

  private static Upstream upstream;
  @TempDir private Path folder;
  private final String key = UUID.randomUUID().toString();

  @BeforeAll
  static void startUpstream() {
    upstream = new Upstream(201);
  }

  @AfterAll
  static void stopUpstream() {
    upstream.close();
  }

  private GatewayProcess start() {
    String file = GatewayProcess.file(folder, ROUTES);
    return GatewayProcess.start(upstream.url(), folder, "--config", file);
  }

  @Test
  void killed_right_after_an_answer_the_next_gateway_replays_it() throws Exception {
    Reply first;
    try (GatewayProcess gateway = start()) {
      first = Client.of(gateway).post("/payments/answered", key);
      gateway.kill();
    }
    assertThat(first.status()).isEqualTo(201);
    try (GatewayProcess next = start()) {
      assertReplayed(Client.of(next).post("/payments/answered", key), first);
    }
    assertThat(upstream.executions("/payments/answered")).hasSize(1);
  }

  @Test
  void
      killed_in_the_handler_the_key_is_busy_until_the_lease_ends_and_then_the_crash_policy_decides()
          throws Exception {
    Hold again = upstream.hold(AGAIN);
    Hold unknown = upstream.hold(UNKNOWN);
    Hold held = upstream.hold(HELD);
    try (GatewayProcess next = start(); // before the kill: the leases do not last for ever
        GatewayProcess gateway = start()) {
      CompletableFuture<Reply> one = Client.of(gateway).start(AGAIN, key);
      CompletableFuture<Reply> two = Client.of(gateway).start(UNKNOWN, key + "2");
      CompletableFuture<Reply> three = Client.of(gateway).start(HELD, key + "3");
      again.awaitArrival();
      unknown.awaitArrival();
      held.awaitArrival();
      gateway.kill();
      assertNoAnswer(one);
      assertNoAnswer(two);
      assertNoAnswer(three);
      Client client = Client.of(next);
      assertBusy(client.post(AGAIN, key));
      assertBusy(client.post(UNKNOWN, key + "2"));
      assertBusy(client.post(HELD, key + "3"));
      assertRunsAgain(client);
      assertStaysUnknown(client);
      assertStaysHeld(client);
    }
    again.release();
    unknown.release();
    held.release();
  }

  private static void assertNoAnswer(CompletableFuture<Reply> reply) {
    assertThat(reply.handle((any, failure) -> failure).join()).isNotNull();
  }

  private static void assertBusy(Reply reply) {
    assertThat(reply.status()).isEqualTo(409);
    assertThat(reply.problem()).isEqualTo("still-running");
    assertThat(reply.all("retry-after")).singleElement().asString().matches("[1-9]\\d*");
  }

  private void assertRunsAgain(Client client) {
    Reply answer =
        Eventually.get(
            "the end of the lease", () -> client.post(AGAIN, key), reply -> reply.status() != 409);
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.marked()).isFalse();
    var executions = upstream.executions(AGAIN);
    assertThat(executions).extracting(Execution::attempt).containsExactly(1, 2);
    assertThat(executions.get(1).fence()).isGreaterThan(executions.get(0).fence());
    assertReplayed(client.post(AGAIN, key), answer);
  }

  private void assertStaysUnknown(Client client) {
    Reply answer =
        Eventually.get(
            "the end of the lease",
            () -> client.post(UNKNOWN, key + "2"),
            reply -> !reply.problem().equals("still-running"));
    assertThat(answer.status()).isEqualTo(409);
    assertThat(answer.problem()).isEqualTo("outcome-unknown");
    assertThat(client.post(UNKNOWN, key + "2").problem()).isEqualTo("outcome-unknown");
    assertThat(client.post(UNKNOWN, key + "2", "{}").status()).as("a mismatch").isEqualTo(422);
    assertThat(upstream.executions(UNKNOWN)).hasSize(1);
  }

  private void assertStaysHeld(Client client) {
    Reply answer =
        Eventually.get(
            "the end of the lease",
            () -> client.post(HELD, key + "3"),
            reply -> reply.text().contains("is held"));
    assertBusy(answer);
    assertThat(upstream.executions(HELD)).hasSize(1);
  }

  @Test
  void paused_past_its_lease_a_gateway_gives_its_client_no_answer_but_the_recorded_one()
      throws Exception {
    String path = "/short-lease/paused";
    Hold hold = upstream.hold(path);
    try (GatewayProcess paused = start();
        GatewayProcess other = start()) {
      CompletableFuture<Reply> late = Client.of(paused).start(path, key);
      hold.awaitArrival();
      paused.pause();
      Reply recorded =
          Eventually.get("a take-over", () -> Client.of(other).post(path, key), Reply::ok);
      assertThat(upstream.executions(path)).extracting(Execution::attempt).containsExactly(1, 2);
      hold.release();
      assertThat(late).isNotDone();
      paused.goOn();
      Reply answer = Client.await(late);
      assertThat(answer.status()).isEqualTo(409);
      assertThat(answer.problem()).isEqualTo("taken-over");
      assertThat(answer.all("retry-after")).hasSize(1);
      assertReplayed(Client.of(paused).post(path, key), recorded);
      assertReplayed(Client.of(other).post(path, key), recorded);
    }
    assertThat(upstream.executions(path)).hasSize(2);
  }

  @Test
  void told_to_stop_a_gateway_finishes_what_runs_and_takes_nothing_new() throws Exception {
    String path = "/payments/stopping";
    Hold hold = upstream.hold(path);
    Reply answer;
    try (GatewayProcess gateway = start()) {
      CompletableFuture<Reply> running = Client.of(gateway).start(path, key);
      hold.awaitArrival();
      gateway.terminate();
      Eventually.until("a gateway that is not ready any more", () -> !gateway.isReady());
      assertNotTaken(Client.of(gateway), key + "2");
      assertThat(running).isNotDone();
      hold.release();
      answer = Client.await(running);
      assertThat(answer.status()).isEqualTo(201);
      assertThat(gateway.exitCode()).isIn(0, 128 + 15);
    }
    try (GatewayProcess next = start()) {
      assertReplayed(Client.of(next).post(path, key), answer);
      assertThat(Client.of(next).post(path, key + "2").status()).isEqualTo(201);
    }
    assertThat(upstream.executions(path)).hasSize(2);
  }

  /** Either nobody listens any more, or the request is turned away. */
  private static void assertNotTaken(Client client, String key) {
    try {
      assertThat(client.post("/payments/stopping", key).status()).isEqualTo(503);
    } catch (Client.NoReplyException e) {
      assertThat(e).hasCauseInstanceOf(java.io.IOException.class);
    }
  }
}
