package dev.once.http.conformance;

import java.util.Set;

/** One thing that the reference server does wrong, and the rules that must notice, no others. */
enum Defect {
  NO_IDEMPOTENCY_AT_ALL(
      "draft-2.6-replay",
      "draft-2.6-replay-headers",
      "draft-2.6-effect",
      "draft-2.2-reuse",
      "draft-2.7-reuse-status",
      "draft-2.6-reuse-original",
      "draft-2.6-concurrent-once",
      "draft-2.7-concurrent-409",
      "draft-2.6-rejection",
      "draft-2.6-failure",
      "beyond-marker",
      "beyond-json",
      "beyond-quotes",
      "beyond-mismatch-first",
      "beyond-disconnect"),
  ACKNOWLEDGES_WITHOUT_DOING(
      "draft-2.6-first",
      "draft-2.2-keys",
      "draft-2.6-concurrent-once",
      "beyond-same-payload",
      "beyond-get"),
  ONE_KEY_FOR_ALL(
      "draft-2.6-first",
      "draft-2.2-keys",
      "draft-2.1-string",
      "draft-2.6-concurrent-once",
      "draft-2.7-concurrent-409",
      "beyond-get",
      "beyond-spaces",
      "beyond-mismatch-first"),
  IDENTITY_IS_THE_PAYLOAD(
      "draft-2.2-reuse", "draft-2.7-reuse-status", "beyond-same-payload", "beyond-mismatch-first"),
  REPLAYS_ANOTHER_STATUS("draft-2.6-replay"),
  REPLAYS_ANOTHER_BODY(
      "draft-2.6-replay",
      "draft-2.6-reuse-original",
      "draft-2.6-after-conflict",
      "draft-2.6-rejection",
      "draft-2.6-failure",
      "beyond-quotes",
      "beyond-json"),
  REPLAYS_BODY_ONLY("draft-2.6-replay", "draft-2.6-replay-headers"),
  REPLAYS_AND_EXECUTES("draft-2.6-effect", "beyond-disconnect"),
  NO_MARKER("beyond-marker"),
  MARKS_FIRST_ANSWERS("beyond-marker-only"),
  MARKS_REFUSALS("beyond-marker-only"),
  REPLAYS_COOKIES("beyond-cookie"),
  COMPARES_BODIES_RAW("beyond-json"),
  REFUSES_STRINGS("draft-2.1-string"),
  QUOTES_BELONG_TO_THE_KEY("beyond-quotes"),
  CUTS_KEYS_AT_SPACES("beyond-spaces"),
  TAKES_EMPTY_KEYS("draft-2.1-empty"),
  TAKES_UNBALANCED_KEYS("draft-2.1-unbalanced"),
  TAKES_NON_ASCII_KEYS("draft-2.1-non-ascii"),
  TAKES_THE_FIRST_OF_TWO_KEYS("draft-2.1-repeated"),
  TAKES_KEYS_OF_ANY_LENGTH("draft-5-too-long"),
  HANGS_ON_LONG_KEYS("draft-5-too-long"),
  FAILS_ON_BAD_KEYS(
      "draft-2.1-empty",
      "draft-2.1-unbalanced",
      "draft-2.1-non-ascii",
      "draft-2.1-repeated",
      "draft-5-too-long"),
  NO_KEY_IS_A_KEY("beyond-no-key"),
  NO_MISMATCH_CHECK(
      "draft-2.2-reuse",
      "draft-2.7-reuse-status",
      "beyond-other-path",
      "beyond-other-query",
      "beyond-mismatch-first"),
  EXECUTES_ANOTHER_PAYLOAD("draft-2.2-reuse", "draft-2.7-reuse-status", "beyond-mismatch-first"),
  MISMATCH_IS_409("draft-2.7-reuse-status", "beyond-mismatch-first"),
  FORGETS_ON_MISMATCH("draft-2.6-reuse-original"),
  FINGERPRINT_OF_THE_BODY_ALONE("beyond-other-path", "beyond-other-query"),
  STORES_GETS("beyond-get"),
  CROSSES_CREDENTIALS("beyond-credentials"),
  EXECUTES_CONCURRENTLY(
      "draft-2.6-concurrent-once", "draft-2.7-concurrent-409", "beyond-disconnect"),
  CONFLICT_IS_503("draft-2.7-concurrent-409", "beyond-disconnect"),
  NO_RETRY_AFTER("beyond-retry-after"),
  CONFLICT_BEFORE_MISMATCH("beyond-mismatch-first"),
  FORGETS_AFTER_CONFLICT("draft-2.6-after-conflict", "beyond-disconnect"),
  RERUNS_ERRORS("draft-2.6-rejection", "draft-2.6-failure"),
  PLAIN_TEXT_REFUSALS("draft-2.7-described", "beyond-problem", "beyond-retention"),
  NO_LINKS("draft-2.7-described"),
  NO_STATUS_IN_PROBLEMS("beyond-problem"),
  DEAD_LINKS("beyond-problem-page"),
  SILENT_ABOUT_RETENTION("beyond-retention"),
  ECHOES_KEYS("beyond-echo");

  @SuppressWarnings("ImmutableEnumChecker") // Set.of is immutable
  final Set<String> noticedBy;

  Defect(String... noticedBy) {
    this.noticedBy = Set.of(noticedBy);
  }
}
