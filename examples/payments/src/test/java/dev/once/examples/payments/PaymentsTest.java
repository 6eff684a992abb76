package dev.once.examples.payments;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.provisioning.UserDetailsManager;

/** The example as it is delivered: storms, webhooks and users who are shut out. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class PaymentsTest {

  private static final int THREADS = 16;
  private static final int TIMES = 5;

  private static Example example;
  private static Client alice;
  private static Client bob;
  private Books before;

  @BeforeAll
  static void start() {
    example = Example.start("--payments.slow-card=300ms");
    alice = example.client("alice");
    bob = example.client("bob");
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

  @Test
  void a_charge_can_be_looked_at_by_whom_it_belongs_to() {
    Reply made = alice.charge(newKey(), "tok_visa");
    assertThat(alice.send("GET", made.location()).body()).isEqualTo(made.body());
    assertThat(bob.send("GET", made.location()).status()).isEqualTo(404);
  }

  @Test
  void the_same_key_of_two_users_names_two_charges() {
    String key = newKey();
    Reply hers = alice.charge(key, "tok_visa");
    Reply his = bob.charge(key, "tok_visa");
    assertThat(his.made()).isTrue();
    assertThat(his.marked()).isFalse();
    assertThat(his.location()).isNotEqualTo(hers.location());
  }

  @ParameterizedTest(name = "a storm of retries of a {0} books one entry")
  @ValueSource(strings = {"charge", "refund"})
  void storm(String what) throws Exception {
    boolean charge = what.equals("charge");
    String path = charge ? "/charges" : alice.charged("tok_slow") + "/refunds";
    String body = charge ? Client.card("tok_slow") : "{\"amount\":100}";
    String key = newKey();
    CyclicBarrier together = new CyclicBarrier(THREADS);
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<List<Reply>>> storm =
          Stream.generate(
                  () ->
                      threads.submit(
                          () -> {
                            together.await();
                            return Stream.generate(() -> alice.post(path, key, body))
                                .limit(TIMES)
                                .toList();
                          }))
              .limit(THREADS)
              .toList();
      List<Reply> replies = new ArrayList<>();
      for (Future<List<Reply>> thread : storm) {
        replies.addAll(thread.get());
      }
      replies.removeIf(reply -> reply.status() == 409);
      Reply last = alice.post(path, key, body);
      assertThat(last.made() && last.marked()).isTrue();
      assertThat(replies).filteredOn(reply -> !reply.marked()).hasSize(1);
      assertThat(replies).extracting(Reply::replayed).containsOnly(last);
    } finally {
      threads.shutdownNow();
    }
    assertThat(booked()).endsWith(charge ? 1500L : -100L).hasSize(charge ? 1 : 2);
  }

  @Test
  void a_webhook_that_is_delivered_three_times_takes_effect_once() {
    Client cardnet = example.client("cardnet").withKeysIn("X-Event-Id");
    String event = "{\"type\":\"payout\",\"account\":\"alice\",\"amount\":700}";
    String id = "evt_" + newKey();
    Reply first = cardnet.post("/webhooks/cardnet", id, event);
    assertThat(first.status()).isEqualTo(204);
    assertThat(cardnet.post("/webhooks/cardnet", id, event)).isEqualTo(first.replayed());
    assertThat(cardnet.post("/webhooks/cardnet", id, event)).isEqualTo(first.replayed());
    assertThat(booked()).containsExactly(-700L);
  }

  @Test
  void a_webhook_without_an_event_id_or_of_somebody_else_does_nothing() {
    Client cardnet = example.client("cardnet");
    String event = "{\"type\":\"payout\",\"account\":\"alice\",\"amount\":700}";
    Reply refused = cardnet.post("/webhooks/cardnet", null, event);
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body()).contains("X-Event-Id");
    assertThat(alice.post("/webhooks/cardnet", newKey(), event).status()).isEqualTo(403);
    assertThat(booked()).isEmpty();
  }

  @Test
  void who_is_shut_out_gets_401_and_no_replay() {
    String key = newKey();
    Reply first = bob.charge(key, "tok_visa");
    assertThat(first.made()).isTrue();
    UserDetailsManager users = example.bean(UserDetailsManager.class);
    UserDetails him = users.loadUserByUsername("bob");
    assertThat(bob.send("DELETE", "/users/alice").status()).isEqualTo(403);
    assertThat(alice.send("DELETE", "/users/bob").status()).isEqualTo(204);
    try {
      Reply retry = bob.charge(key, "tok_visa");
      assertThat(retry.status()).isEqualTo(401);
      assertThat(retry.marked()).isFalse();
      assertThat(retry.body()).doesNotContain("tok_visa");
    } finally {
      users.createUser(him);
    }
    assertThat(bob.charge(key, "tok_visa")).isEqualTo(first.replayed());
  }

  @Test
  void refusals_link_to_the_rules() throws Exception {
    assertThat(alice.charge("not a key", "tok_visa").body()).contains("\"/docs/idempotency#");
    assertThat(alice.get("/docs/idempotency").body()).contains("X-Event-Id", "72h");
  }
}
