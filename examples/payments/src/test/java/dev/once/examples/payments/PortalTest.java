package dev.once.examples.payments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The portal's clients against the example under the profile {@code portal}. Charges commit with
 * their key, so a duplicate waits for the first; refunds run under a lease, so it gets 409.
 */
@DisplayName("Clients of the profile portal")
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class PortalTest {

  private static Example example;
  private static Client alice;
  private Books before;

  @BeforeAll
  static void start() {
    example = Example.start("--once.profile=portal", "--payments.slow-card=3s");
    alice = new Client(example.url(), "alice", "X-Idempotency-Key", "X-Idempotency-Replay");
  }

  @AfterAll
  static void stop() {
    example.close();
  }

  @BeforeEach
  void look() {
    before = alice.books();
  }

  private List<Long> booked() {
    return alice.books().since(before);
  }

  private static String newKey() {
    return UUID.randomUUID().toString();
  }

  private static String refund(int amount) {
    return "{\"amount\":%d}".formatted(amount);
  }

  @Nested
  @DisplayName("Testing scenarios")
  class Scenarios {

    @Test
    void a_duplicate_gets_the_first_answer_and_makes_nothing() {
      Reply first = alice.charge("abc-123", "tok_visa");
      assertThat(first.made()).isTrue();
      assertThat(first.marked()).isFalse();
      assertThat(alice.charge("abc-123", "tok_visa")).isEqualTo(first.replayed());
      assertThat(booked()).containsExactly(1500L);
    }

    @Test
    void of_concurrent_refunds_one_runs_and_the_others_are_told_to_come_back() {
      String path = alice.charged("tok_slow") + "/refunds";
      String key = newKey();
      List<CompletableFuture<Reply>> started =
          Stream.generate(() -> alice.start(path, key, refund(100))).limit(6).toList();
      List<Reply> replies = started.stream().map(Client::await).toList();
      Reply winner =
          replies.stream().filter(it -> it.made() && !it.marked()).findFirst().orElseThrow();
      assertThat(replies).filteredOn(it -> it.status() == 409).isNotEmpty();
      assertThat(replies)
          .filteredOn(it -> !it.equals(winner))
          .hasSize(5)
          .allSatisfy(it -> assertThat(it.status() == 409 || it.equals(winner.replayed())).isTrue())
          .allSatisfy(
              it -> assertThat(alice.post(path, key, refund(100))).isEqualTo(winner.replayed()));
      assertThat(booked()).containsExactly(1500L, -100L);
    }

    @Test
    void of_concurrent_charges_one_runs_and_the_others_get_its_answer_or_are_busy() {
      String key = newKey();
      List<CompletableFuture<Reply>> started =
          Stream.generate(() -> alice.start("/charges", key, Client.card("tok_slow")))
              .limit(6)
              .toList();
      List<Reply> replies = started.stream().map(Client::await).toList();
      Reply winner =
          replies.stream().filter(it -> it.made() && !it.marked()).findFirst().orElseThrow();
      assertThat(replies)
          .filteredOn(it -> !it.equals(winner))
          .hasSize(5)
          .allSatisfy(
              it -> assertThat(it.status() == 409 || it.equals(winner.replayed())).isTrue());
      assertThat(alice.post("/charges", key, Client.card("tok_slow"))).isEqualTo(winner.replayed());
      assertThat(booked()).containsExactly(1500L);
    }

    @ParameterizedTest(name = "a client that got no answer to a {0} sends it again: it ran once")
    @CsvSource({"charge", "refund"})
    void network(String what) {
      boolean charge = what.equals("charge");
      String path = charge ? "/charges" : alice.charged("tok_slow") + "/refunds";
      String body = charge ? Client.card("tok_slow") : refund(100);
      String key = newKey();
      CompletableFuture<Reply> lost = alice.startImpatiently(path, key, body);
      assertThatThrownBy(lost::join).hasMessageContaining("timed out");
      Reply retry = alice.post(path, key, body);
      while (retry.status() == 409) {
        retry = alice.post(path, key, body);
      }
      assertThat(retry.made()).isTrue();
      assertThat(retry.marked()).isTrue();
      assertThat(booked()).endsWith(charge ? 1500L : -100L).hasSize(charge ? 1 : 2);
    }

    @Test
    void two_keys_are_two_charges() {
      Reply one = alice.charge("key-1", "tok_visa");
      Reply two = alice.charge("key-2", "tok_visa");
      assertThat(List.of(one.status(), two.status())).containsOnly(201);
      assertThat(two.location()).isNotEqualTo(one.location());
      assertThat(booked()).containsExactly(1500L, 1500L);
    }
  }

  @Nested
  @DisplayName("What a client makes of an answer")
  class Matrix {

    @Test
    void success_then_the_same_marked() {
      String path = alice.charged("tok_visa") + "/refunds";
      String key = newKey();
      Reply first = alice.post(path, key, refund(200));
      assertThat(first.made()).isTrue();
      assertThat(first.marked()).isFalse();
      assertThat(alice.post(path, key, refund(200))).isEqualTo(first.replayed());
    }

    @Test
    void a_conflict_says_when_to_come_back() {
      String path = alice.charged("tok_slow") + "/refunds";
      String key = newKey();
      CompletableFuture<Reply> first = alice.start(path, key, refund(300));
      CompletableFuture<Reply> second = alice.start(path, key, refund(300));
      Reply conflict = Client.await(first.applyToEither(second, earlier -> earlier));
      assertThat(conflict.status()).isEqualTo(409);
      assertThat(conflict.marked()).isFalse();
      assertThat(conflict.retryAfter()).matches("[1-9]\\d*");
      Reply answer = Client.await(first).made() ? Client.await(first) : Client.await(second);
      assertThat(alice.post(path, key, refund(300))).isEqualTo(answer.replayed());
    }

    @ParameterizedTest(name = "{0} of a charge, then the same marked: {1}")
    @CsvSource({
      "402, '{\"amount\":1500,\"card\":\"tok_declined\"}', The card was declined.",
      "400, '{\"amount\":0,\"card\":\"tok_visa\"}', amount: must be greater than 0",
      "400, '{\"amount\":5,\"card\":\"4242\"}', card: must match",
      "400, '{\"amount\":', Failed to read request",
    })
    void rejected(int status, String body, String detail) {
      assertRecorded("/charges", status, body, detail);
      assertThat(booked()).isEmpty();
    }

    @ParameterizedTest(name = "{0} of a refund, then the same marked: {2}")
    @CsvSource({
      "422, tok_visa, 'amount: 2000 (expected: at most 1500'",
      "502, tok_oneway, The card network does not answer.",
    })
    void refused(int status, String card, String detail) {
      assertRecorded(alice.charged(card) + "/refunds", status, refund(2000), detail);
      assertThat(booked()).containsExactly(1500L);
    }

    private void assertRecorded(String path, int status, String body, String detail) {
      String key = newKey();
      Reply first = alice.post(path, key, body);
      assertThat(first.status()).isEqualTo(status);
      assertThat(first.marked()).isFalse();
      assertThat(first.body()).contains(detail);
      assertThat(alice.post(path, key, body)).isEqualTo(first.replayed());
    }

    @Test
    void a_charge_that_failed_was_rolled_back_with_its_key_and_may_run_again() {
      String key = newKey();
      assertThat(alice.charge(key, "tok_offline").status()).isEqualTo(502);
      Reply retry = alice.charge(key, "tok_offline");
      assertThat(retry.status()).isEqualTo(502);
      assertThat(retry.marked()).isFalse();
      assertThat(booked()).isEmpty();
    }

    @Test
    void a_key_for_another_charge_is_refused() {
      String key = newKey();
      alice.charge(key, "tok_visa");
      Reply other = alice.charge(key, "tok_master");
      assertThat(other.status()).isEqualTo(422);
      assertThat(other.body()).contains("\"/docs/idempotency#key-reused\"");
      assertThat(booked()).containsExactly(1500L);
    }
  }

  @Test
  void without_a_key_nothing_is_held_back() {
    assertThat(alice.charge(null, "tok_visa").made()).isTrue();
    assertThat(alice.charge(null, "tok_visa").marked()).isFalse();
    assertThat(booked()).containsExactly(1500L, 1500L);
  }

  @Test
  void the_header_of_another_profile_is_not_looked_at() {
    Client other = alice.withKeysIn("Idempotency-Key");
    String key = newKey();
    other.charge(key, "tok_visa");
    assertThat(other.charge(key, "tok_visa").marked()).isFalse();
    assertThat(booked()).hasSize(2);
  }
}
