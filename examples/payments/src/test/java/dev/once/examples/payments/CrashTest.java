package dev.once.examples.payments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An instance is killed at each step of a charge, while PostgreSQL lives on. The client sends its
 * request again, to another instance: the ledger is exact, and there is one answer.
 */
@Timeout(600)
class CrashTest {

  private static Example other;
  private static Client alice;

  @BeforeAll
  static void start() {
    other = Example.start();
    alice = other.client("alice");
  }

  @AfterAll
  static void stop() {
    other.close();
  }

  @ParameterizedTest(name = "kill -9 {0}")
  @EnumSource(Step.class)
  void killed(Step step) throws Exception {
    String key = UUID.randomUUID().toString();
    Books before = alice.books();
    try (ExampleProcess instance = ExampleProcess.start(other.database(), step)) {
      CompletableFuture<Reply> lost =
          alice.at(instance.url()).start("/charges", key, Client.card("tok_visa"));
      instance.awaitStop(step);
      assertThat(lost).isNotDone();
      assertThat(instance.kill()).as("killed by signal 9").isEqualTo(128 + 9);
      assertThatThrownBy(lost::join).hasRootCauseInstanceOf(IOException.class);
    }
    Reply retry = alice.charge(key, "tok_visa");
    assertThat(retry.made()).isTrue();
    assertThat(retry.marked()).as("whether it had been committed").isEqualTo(step.isCommitted());
    assertThat(alice.charge(key, "tok_visa")).isEqualTo(retry.replayed());
    assertThat(alice.send("GET", retry.location()).body()).isEqualTo(retry.body());
    assertThat(alice.books().since(before)).containsExactly(1500L);
  }
}
