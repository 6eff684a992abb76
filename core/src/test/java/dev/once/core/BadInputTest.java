package dev.once.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.MemoryStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class BadInputTest {

  @Test
  void keys_that_are_null_empty_or_too_long_are_refused_with_the_rule() {
    assertThatNullPointerException()
        .isThrownBy(() -> Key.of(null))
        .withMessage("key: null (expected: 1 to 1024 bytes)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Key.of(""))
        .withMessage("key: empty (expected: 1 to 1024 bytes)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Key.of("k".repeat(1025)))
        .withMessage("key: 1025 bytes (expected: 1 to 1024 bytes)");
    assertThat(Key.of("k".repeat(1024)).bytes().size()).isEqualTo(1024);
  }

  @Test
  void keys_are_masked_wherever_they_are_printed() {
    Key key = Key.of("550e8400-e29b-41d4-a716-446655440000");
    assertThat(key).hasToString("550e****0000");
    assertThat(Key.of("short")).hasToString("****");
    assertThat(Key.of("\r\n\u001b[31m and more \u0000")).hasToString("???[****re??");
    OperationId id = new OperationId(new Scope("acme", "alice", ""), key);
    assertThat(id.toString()).matches("550e\\*{4}0000#[0-9a-f]{6} of acme/alice");
    assertThat(new OperationId(new Scope("a\nb", "", "/r"), key).toString())
        .matches("550e\\*{4}0000#[0-9a-f]{6} of a\\?b//r");
    assertThat(new Operation(id, Fingerprint.of("x"), Policy.DEFAULT).toString())
        .doesNotContain("8400");
    assertThat(new Lease(id, new Fence(1), 1).toString()).doesNotContain("8400");
    assertThat(Fingerprint.of("x").toString()).hasSize(12).contains("****");
    assertThat(new Body.Full(Bytes.utf8("secret")).toString()).doesNotContain("secret");
  }

  @Test
  void short_keys_show_nothing_of_themselves_and_are_still_told_apart() {
    Scope alice = Scope.of("acme", "alice");
    OperationId id = new OperationId(alice, Key.of("order-1"));
    assertThat(id.masked())
        .matches("\\*{4}#[0-9a-f]{6}")
        .isEqualTo(new OperationId(alice, Key.of("order-1")).masked())
        .isNotEqualTo(new OperationId(alice, Key.of("order-2")).masked())
        .isNotEqualTo(new OperationId(Scope.of("acme", "bob"), Key.of("order-1")).masked());
  }

  @Test
  void what_tells_masked_keys_apart_is_how_their_record_is_named_in_a_store() {
    OperationId id = new OperationId(Scope.of("acme", "alice"), Key.of("order-1"));
    assertThat("****#" + id.digest().toHex()).startsWith(id.masked());
  }

  static Stream<UnaryOperator<Policy.Builder>> badDurations() {
    Duration nothing = Duration.ZERO;
    Duration negative = Duration.ofSeconds(-1);
    return Stream.of(
        p -> p.retention(nothing),
        p -> p.retention(negative),
        p -> p.retention(Duration.ofDays(100_000)),
        p -> p.lease(nothing),
        p -> p.lease(Duration.ofNanos(1)),
        p -> p.longestRun(negative),
        p -> p.longestWait(nothing),
        p -> p.maxStoredBody(-1),
        p -> p.maxStoredBody(Policy.MAX_STORED_BODY + 1));
  }

  @ParameterizedTest
  @MethodSource("badDurations")
  void a_policy_with_an_impossible_value_cannot_be_made(UnaryOperator<Policy.Builder> change) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policy.DEFAULT.with(change))
        .withMessageMatching("\\w+: \\S+ \\(expected: .+\\)");
  }

  @Test
  void the_message_names_the_value_and_what_is_expected() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policy.DEFAULT.with(p -> p.retention(Duration.ZERO)))
        .withMessage("retention: PT0S (expected: PT0.001S to PT87600H)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Profile.named("ieft"))
        .withMessageContaining("profile: ieft (expected: one of ietf, stripe, strict");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Fence(0))
        .withMessage("fence: 0 (expected: > 0)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Scope("t".repeat(513), "", ""))
        .withMessage("tenant: 513 characters (expected: at most 512)");
    assertThatNullPointerException()
        .isThrownBy(() -> new Scope("", null, ""))
        .withMessage("user: null (expected: text, empty if it has none)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Header("", "value"))
        .withMessageContaining("header name: empty");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Fingerprint.decode(new byte[3]))
        .withMessage("fingerprint: 3 bytes (expected: 33)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new MemoryStore(InstantSource.system(), 0, 1))
        .withMessage("maxRecords: 0, maxBytes: 1 (expected: > 0)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Once.builder(new MemoryStore()).storeTimeout(Duration.ZERO))
        .withMessageContaining("storeTimeout: PT0S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Once.builder(new MemoryStore()).maxWaiters(-1))
        .withMessage("maxWaiters: -1 (expected: >= 0)");
    OperationId id = new OperationId(Scope.GLOBAL, Key.of("key"));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new ClaimRequest(
                    id, Fingerprint.of("x"), 1, Duration.ZERO, Duration.ofHours(1), false))
        .withMessage("lease: PT0S (expected: PT0.001S to PT87600H)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Body.Digest(1, Bytes.utf8("abc")))
        .withMessage("digest: of 1 bytes, 3 long (expected: of >= 0, 32 long)");
  }

  @Test
  void parts_of_a_scope_or_a_fingerprint_cannot_run_into_each_other() {
    Key key = Key.of("key");
    assertThat(new OperationId(new Scope("ab", "c", ""), key).digest())
        .isNotEqualTo(new OperationId(new Scope("a", "bc", ""), key).digest());
    assertThat(Fingerprint.of("ab", "c")).isNotEqualTo(Fingerprint.of("a", "bc"));
    assertThat(Fingerprint.of("ab", "")).isNotEqualTo(Fingerprint.of("ab"));
  }

  @Test
  void text_that_would_not_survive_encoding_is_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Key.of("a\ud800"))
        .withMessage("text: a lone surrogate at 1 (expected: Unicode text)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Scope("\udc00\ud800", "", ""))
        .withMessage("tenant: a lone surrogate at 0 (expected: Unicode text)");
    assertThat(Key.of("\ud83d\ude00").bytes().size()).isEqualTo(4);
  }

  @Test
  void a_fingerprint_survives_encoding_with_its_version() {
    Fingerprint fingerprint = Fingerprint.of("POST", "/payments");
    assertThat(Fingerprint.decode(fingerprint.encoded().toArray())).isEqualTo(fingerprint);
    Fingerprint newer = new Fingerprint((byte) 2, fingerprint.hash());
    assertThat(newer).isNotEqualTo(fingerprint);
    assertThat(Fingerprint.decode(newer.encoded().toArray())).isEqualTo(newer);
  }

  @Test
  void the_seven_profiles_are_known_by_name() {
    assertThat(Profile.ALL)
        .extracting(Profile::name)
        .containsExactly("ietf", "stripe", "strict", "portal", "booking", "leads", "srs016");
    assertThat(Profile.named("leads").policy().retention()).isEqualTo(Duration.ofMinutes(5));
  }
}
