package dev.once.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Header;
import dev.once.core.Key;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.StoreCapabilities;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;

/**
 * A part of the contract: a fresh store for each test, and the words that the tests are written in.
 *
 * <p>Lengths of time are hours, so that the time a test takes itself never decides it.
 */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
abstract class Topic {

  static final Duration LEASE = Duration.ofHours(1);
  static final Duration RETENTION = Duration.ofHours(24);

  /** More than any test takes, and more than any store rounds by. */
  static final Duration SLACK = Duration.ofMinutes(5);

  static final Scope SCOPE = new Scope("acme", "alice", "POST /payments");
  static final OperationId ID = id("550e8400-e29b-41d4-a716-446655440000");
  static final OperationId OTHER = id("6ba7b810-9dad-41d1-80b4-00c04fd430c8");

  static final Fingerprint ASKED = Fingerprint.of("POST", "/payments", "{\"amount\":1}");
  static final Fingerprint ASKED_OTHERWISE = Fingerprint.of("POST", "/payments", "{\"amount\":2}");

  static final Answer ANSWER =
      Answer.success(201, Body.of("{\"id\":7}"))
          .withHeaders(List.of(new Header("Location", "/payments/7")));
  static final Answer OTHER_ANSWER = Answer.failure(500, Body.of("{\"error\":\"out of order\"}"));

  private static final AtomicLong TOKENS = new AtomicLong();

  /** Adds up to 2^64 distinct numbers that look random, half of them negative. */
  private static final long TOKEN_STEP = 0x9E3779B97F4A7C15L;

  private final Callable<StoreFixture> opener;

  StoreFixture fixture;
  BlockingStore store;

  Topic(Callable<StoreFixture> opener) {
    this.opener = opener;
  }

  @BeforeEach
  void openStore() throws Exception {
    fixture = opener.call();
    store = new BlockingStore(fixture.store());
  }

  @AfterEach
  void closeStore() throws Exception {
    fixture.close();
  }

  static OperationId id(String key) {
    return new OperationId(SCOPE, Key.of(key));
  }

  static long newToken() {
    return TOKENS.addAndGet(TOKEN_STEP);
  }

  /** A claim by a new caller, who may not take over. */
  static ClaimRequest request(OperationId id) {
    return request(id, ASKED);
  }

  static ClaimRequest request(OperationId id, Fingerprint fingerprint) {
    return new ClaimRequest(id, fingerprint, newToken(), LEASE, RETENTION, false);
  }

  static ClaimRequest request(OperationId id, Duration lease, Duration retention) {
    return new ClaimRequest(id, ASKED, newToken(), lease, retention, false);
  }

  /** A claim by a new caller, who may take over. */
  static ClaimRequest takeover(OperationId id) {
    return takeover(id, ASKED);
  }

  static ClaimRequest takeover(OperationId id, Fingerprint fingerprint) {
    return new ClaimRequest(id, fingerprint, newToken(), LEASE, RETENTION, true);
  }

  /** A claim that ended with this answer. */
  Lease finished(OperationId id, Answer answer) {
    Lease lease = store.granted(request(id));
    assertThat(store.complete(lease, answer, RETENTION)).isTrue();
    return lease;
  }

  /** A claim whose lease is over, and whose owner has not been heard of since. */
  Lease abandoned(OperationId id) {
    Lease lease = store.granted(request(id));
    timePasses(LEASE.plus(SLACK));
    return lease;
  }

  void timePasses(Duration duration) {
    fixture.timePasses(duration);
  }

  /** The record, after so much time that whatever is written to it from now on can be seen. */
  OperationRecord agedRecord(OperationId id) {
    timePasses(SLACK);
    return store.found(id);
  }

  void everythingExpires() {
    timePasses(LEASE.plus(RETENTION).plus(SLACK));
  }

  StoreCapabilities capabilities() {
    return store.store().capabilities();
  }

  /** A second handle; skips the test if the store is for one process. */
  BlockingStore another() {
    assumeTrue(capabilities().shared(), "this store is not shared between processes");
    return new BlockingStore(fixture.another());
  }

  /** Checks the length between two times of the same step, up to what a store may round. */
  static void assertBetween(Instant from, Instant to, Duration expected) {
    assertThat(Duration.between(from, to)).isCloseTo(expected, Duration.ofSeconds(1));
  }
}
