package dev.once.http.semantics;

import static dev.once.http.semantics.ValueText.parseBoolean;
import static dev.once.http.semantics.ValueText.parseDuration;
import static dev.once.http.semantics.ValueText.parseList;
import static dev.once.http.semantics.ValueText.parseSize;
import static dev.once.http.semantics.ValueText.parseWord;
import static dev.once.http.semantics.ValueText.showDuration;
import static dev.once.http.semantics.ValueText.showSize;
import static dev.once.http.semantics.ValueText.showWord;
import static dev.once.http.semantics.ValueText.words;

import dev.once.core.Policy;
import dev.once.core.Policy.Keep;
import dev.once.core.Policy.OnBusy;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Policy.OnEnd;
import dev.once.core.Policy.OnStoreDown;
import java.time.DateTimeException;
import java.util.HashSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Every value of an {@link HttpPolicy}, by the name that flags, files and the policy page use: one
 * table, so that each value can be set alone, everywhere, by the same words.
 */
public enum PolicyValue {
  ENABLED(
      "enabled",
      "whether keys are looked at",
      Text.BOOLEAN,
      p -> String.valueOf(p.enabled()),
      http((b, text) -> b.enabled(parseBoolean(text)))),
  HEADER(
      "header",
      "request header that carries the key",
      "a header name",
      HttpPolicy::keyHeader,
      http(HttpPolicy.Builder::keyHeader)),
  REQUIRED(
      "required",
      "whether a request in scope without a key is refused",
      Text.BOOLEAN,
      p -> String.valueOf(p.required()),
      http((b, text) -> b.required(parseBoolean(text)))),
  METHODS(
      "methods",
      "methods in scope",
      "a list such as POST, PATCH, without the safe ones",
      p -> String.join(", ", new TreeSet<>(p.methods())),
      http((b, text) -> b.methods(new HashSet<>(parseList(text))))),
  BODILESS(
      "bodiless",
      "whether requests without a body are in scope",
      Text.BOOLEAN,
      p -> String.valueOf(p.bodiless()),
      http((b, text) -> b.bodiless(parseBoolean(text)))),
  IGNORE_CASE(
      "ignore-case",
      "whether the service takes paths in any case for the same",
      Text.BOOLEAN,
      p -> String.valueOf(p.ignoreCase()),
      http((b, text) -> b.ignoreCase(parseBoolean(text)))),
  KEY_FORM(
      "key-form",
      "what a key looks like",
      words(KeyForm.class),
      p -> showWord(p.keyRule().form()),
      (p, text) -> {
        KeyForm form = parseWord(KeyForm.class, text);
        return p.with(
            b -> b.keyRule(new KeyRule(form, p.keyRule().minLength(), p.keyRule().maxLength())));
      }),
  KEY_MIN_LENGTH(
      "key-min-length",
      "shortest key, in characters",
      "1 to key-max-length",
      p -> String.valueOf(p.keyRule().minLength()),
      (p, text) -> {
        int length = Integer.parseInt(text);
        KeyRule rule = p.keyRule();
        return p.with(b -> b.keyRule(new KeyRule(rule.form(), length, rule.maxLength())));
      }),
  KEY_MAX_LENGTH(
      "key-max-length",
      "longest key, in characters",
      "key-min-length to 1024",
      p -> String.valueOf(p.keyRule().maxLength()),
      (p, text) -> {
        int length = Integer.parseInt(text);
        KeyRule rule = p.keyRule();
        return p.with(b -> b.keyRule(new KeyRule(rule.form(), rule.minLength(), length)));
      }),
  IDENTITY(
      "identity",
      "what names an operation",
      words(Identity.class),
      p -> showWord(p.identity()),
      http((b, text) -> b.identity(parseWord(Identity.class, text)))),
  CRITICAL_HEADERS(
      "critical-headers",
      "request headers that belong to the fingerprint",
      "a list of header names",
      p -> String.join(", ", p.criticalHeaders()),
      http((b, text) -> b.criticalHeaders(parseList(text)))),
  MISMATCH_STATUS(
      "mismatch-status",
      "status for a key that was used for another request",
      Text.STATUS,
      p -> String.valueOf(p.mismatchStatus()),
      http((b, text) -> b.mismatchStatus(Integer.parseInt(text)))),
  BUSY_STATUS(
      "busy-status",
      "status while the first request runs",
      Text.STATUS,
      p -> String.valueOf(p.busyStatus()),
      http((b, text) -> b.busyStatus(Integer.parseInt(text)))),
  REFUSAL_FORMAT(
      "refusal-format",
      "what a refusal looks like",
      words(StandardFormat.class),
      p -> showWord(p.refusalFormat()),
      http((b, text) -> b.refusalFormat(parseWord(StandardFormat.class, text)))),
  REPLAY_MARKER(
      "replay-marker",
      "response header that marks a replay",
      "a header name",
      HttpPolicy::marker,
      http(HttpPolicy.Builder::marker)),
  MAX_REQUEST_BODY(
      "max-request-body",
      "largest body of a request with a key",
      "bytes, or with k or m; at most 64m",
      p -> showSize(p.maxRequestBody()),
      http((b, text) -> b.maxRequestBody(parseSize(text)))),
  RETENTION(
      "retention",
      "how long an answer is kept",
      Text.DURATION,
      p -> showDuration(p.policy().retention()),
      engine((b, text) -> b.retention(parseDuration(text)))),
  LEASE(
      "lease",
      "how long the right to run lasts without a renewal",
      Text.DURATION,
      p -> showDuration(p.policy().lease()),
      engine((b, text) -> b.lease(parseDuration(text)))),
  LONGEST_RUN(
      "longest-run",
      "how long a request may run; then it counts as crashed",
      Text.DURATION,
      p -> showDuration(p.policy().longestRun()),
      engine((b, text) -> b.longestRun(parseDuration(text)))),
  ON_BUSY(
      "on-busy",
      "what a duplicate gets while the first request runs",
      words(OnBusy.class),
      p -> showWord(p.policy().onBusy()),
      engine((b, text) -> b.onBusy(parseWord(OnBusy.class, text)))),
  LONGEST_WAIT(
      "longest-wait",
      "how long a duplicate waits, if it waits",
      Text.DURATION,
      p -> showDuration(p.policy().longestWait()),
      engine((b, text) -> b.longestWait(parseDuration(text)))),
  ON_CRASH(
      "on-crash",
      "what a retry gets when the first request never ended",
      words(OnCrash.class),
      p -> showWord(p.policy().onCrash()),
      engine((b, text) -> b.onCrash(parseWord(OnCrash.class, text)))),
  ON_REJECTION(
      "on-rejection",
      "what becomes of a 4xx answer",
      words(OnEnd.class),
      p -> showWord(p.policy().onRejection()),
      engine((b, text) -> b.onRejection(parseWord(OnEnd.class, text)))),
  ON_FAILURE(
      "on-failure",
      "what becomes of a 5xx answer",
      words(OnEnd.class),
      p -> showWord(p.policy().onFailure()),
      engine((b, text) -> b.onFailure(parseWord(OnEnd.class, text)))),
  ON_STORE_DOWN(
      "on-store-down",
      "what happens when the store does not answer",
      words(OnStoreDown.class),
      p -> showWord(p.policy().onStoreDown()),
      engine((b, text) -> b.onStoreDown(parseWord(OnStoreDown.class, text)))),
  KEEP(
      "keep",
      "how much of an answer is kept",
      words(Keep.class),
      p -> showWord(p.policy().keep()),
      engine((b, text) -> b.keep(parseWord(Keep.class, text)))),
  MAX_STORED_BODY(
      "max-stored-body",
      "largest answer that is kept whole",
      "bytes, or with k or m; at most 16m",
      p -> showSize(p.policy().maxStoredBody()),
      engine((b, text) -> b.maxStoredBody(parseSize(text))));

  /** What several values expect. */
  private static final class Text {
    static final String BOOLEAN = "true or false";
    static final String STATUS = "400 to 599";
    static final String DURATION = "a duration such as 30s, 5m, 24h or 7d";
  }

  private final String label;
  private final String meaning;
  private final String expected;

  @SuppressWarnings("ImmutableEnumChecker") // a function without state
  private final Function<HttpPolicy, String> shown;

  @SuppressWarnings("ImmutableEnumChecker")
  private final BiFunction<HttpPolicy, String, HttpPolicy> change;

  PolicyValue(
      String label,
      String meaning,
      String expected,
      Function<HttpPolicy, String> shown,
      BiFunction<HttpPolicy, String, HttpPolicy> change) {
    this.label = label;
    this.meaning = meaning;
    this.expected = expected;
    this.shown = shown;
    this.change = change;
  }

  private static BiFunction<HttpPolicy, String, HttpPolicy> http(
      BiFunction<HttpPolicy.Builder, String, HttpPolicy.Builder> change) {
    return (http, text) -> http.with(b -> change.apply(b, text));
  }

  private static BiFunction<HttpPolicy, String, HttpPolicy> engine(
      BiFunction<Policy.Builder, String, Policy.Builder> change) {
    return (http, text) -> {
      UnaryOperator<Policy.Builder> one = b -> change.apply(b, text);
      return http.with(b -> b.policy(http.policy().with(one)));
    };
  }

  /** The name by which flags and files set it. */
  public String label() {
    return label;
  }

  /** What it is, for people. */
  public String meaning() {
    return meaning;
  }

  /** What may stand there, for people. */
  public String expected() {
    return expected;
  }

  /** The value in a policy, as it could be written in a file. */
  public String show(HttpPolicy policy) {
    return shown.apply(policy);
  }

  /**
   * The policy with this value changed.
   *
   * @throws IllegalArgumentException if the text is not such a value; the message says what is
   */
  public HttpPolicy set(HttpPolicy policy, String text) {
    try {
      return change.apply(policy, text.strip());
    } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
      throw new IllegalArgumentException(
          label + ": '" + text + "' (expected: " + expected + ")", e);
    }
  }

  /** The value of that name; {@code ttl} is another name for {@code retention}. */
  public static Optional<PolicyValue> labelled(String label) {
    if (label.equals("ttl")) {
      return Optional.of(RETENTION);
    }
    for (PolicyValue value : values()) {
      if (value.label.equals(label)) {
        return Optional.of(value);
      }
    }
    return Optional.empty();
  }
}
