package dev.once.http.semantics;

import static dev.once.http.semantics.ValueType.BOOLEAN;
import static dev.once.http.semantics.ValueType.DURATION;
import static dev.once.http.semantics.ValueType.HEADER_NAME;
import static dev.once.http.semantics.ValueType.STATUS;

import dev.once.core.Key;
import dev.once.core.Policy;
import dev.once.core.Policy.Keep;
import dev.once.core.Policy.OnBusy;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Policy.OnEnd;
import dev.once.core.Policy.OnStoreDown;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Every value of an {@link HttpPolicy}, by the name that flags, files, properties, annotations and
 * the policy page use: one table, so that each value can be set alone, everywhere, by the same
 * words. A value that is added here is known in all of these places.
 */
public enum PolicyValue {
  ENABLED(
      "enabled",
      "whether keys are looked at",
      BOOLEAN,
      HttpPolicy::enabled,
      http(HttpPolicy.Builder::enabled)),
  HEADER(
      "header",
      "request header that carries the key",
      HEADER_NAME,
      HttpPolicy::keyHeader,
      http(HttpPolicy.Builder::keyHeader)),
  REQUIRED(
      "required",
      "whether a request in scope without a key is refused",
      BOOLEAN,
      HttpPolicy::required,
      http(HttpPolicy.Builder::required)),
  METHODS(
      "methods",
      "methods in scope",
      ValueType.list("a list such as POST, PATCH, without the safe ones"),
      p -> List.copyOf(new TreeSet<>(p.methods())),
      http((b, names) -> b.methods(new HashSet<>(names)))),
  BODILESS(
      "bodiless",
      "whether requests without a body are in scope",
      BOOLEAN,
      HttpPolicy::bodiless,
      http(HttpPolicy.Builder::bodiless)),
  IGNORE_CASE(
      "ignore-case",
      "whether the service takes paths in any case for the same",
      BOOLEAN,
      HttpPolicy::ignoreCase,
      http(HttpPolicy.Builder::ignoreCase)),
  KEY_FORM(
      "key-form",
      "what a key looks like",
      ValueType.words(KeyForm.class, KeyForm::description),
      p -> p.keyRule().form(),
      key((rule, form) -> new KeyRule(form, rule.minLength(), rule.maxLength()))),
  KEY_MIN_LENGTH(
      "key-min-length",
      "shortest key, in characters",
      ValueType.number("1 to key-max-length"),
      p -> p.keyRule().minLength(),
      key((rule, length) -> new KeyRule(rule.form(), length, rule.maxLength()))),
  KEY_MAX_LENGTH(
      "key-max-length",
      "longest key, in characters",
      ValueType.number("key-min-length to " + Key.MAX_BYTES),
      p -> p.keyRule().maxLength(),
      key((rule, length) -> new KeyRule(rule.form(), rule.minLength(), length))),
  IDENTITY(
      "identity",
      "what names an operation",
      ValueType.words(
          Identity.class,
          identity ->
              switch (identity) {
                case KEY -> "the same key with another request is refused";
                case KEY_AND_REQUEST -> "the same key with another request is another operation";
              }),
      HttpPolicy::identity,
      http(HttpPolicy.Builder::identity)),
  CRITICAL_HEADERS(
      "critical-headers",
      "request headers that belong to the fingerprint",
      ValueType.list("a list of header names"),
      HttpPolicy::criticalHeaders,
      http(HttpPolicy.Builder::criticalHeaders)),
  MISMATCH_STATUS(
      "mismatch-status",
      "status for a key that was used for another request",
      STATUS,
      HttpPolicy::mismatchStatus,
      http(HttpPolicy.Builder::mismatchStatus)),
  BUSY_STATUS(
      "busy-status",
      "status while the first request runs",
      STATUS,
      HttpPolicy::busyStatus,
      http(HttpPolicy.Builder::busyStatus)),
  REFUSAL_FORMAT(
      "refusal-format",
      "what a refusal looks like",
      ValueType.words(
          StandardFormat.class,
          format ->
              switch (format) {
                case PROBLEM -> "application/problem+json (RFC 9457)";
                case STRIPE ->
                    "as Stripe answers, so that its client libraries raise their own errors";
              }),
      HttpPolicy::refusalFormat,
      http(HttpPolicy.Builder::refusalFormat)),
  REPLAY_MARKER(
      "replay-marker",
      "response header that marks a replay",
      HEADER_NAME,
      HttpPolicy::marker,
      http(HttpPolicy.Builder::marker)),
  MAX_REQUEST_BODY(
      "max-request-body",
      "largest body of a request with a key",
      ValueType.bytes(HttpPolicy.MAX_REQUEST_BODY),
      HttpPolicy::maxRequestBody,
      http(HttpPolicy.Builder::maxRequestBody)),
  RETENTION(
      "retention",
      "how long an answer is kept",
      DURATION,
      p -> p.policy().retention(),
      engine(Policy.Builder::retention)),
  LEASE(
      "lease",
      "how long the right to run lasts without a renewal",
      DURATION,
      p -> p.policy().lease(),
      engine(Policy.Builder::lease)),
  LONGEST_RUN(
      "longest-run",
      "how long a request may run; then it counts as crashed",
      DURATION,
      p -> p.policy().longestRun(),
      engine(Policy.Builder::longestRun)),
  ON_BUSY(
      "on-busy",
      "what a duplicate gets while the first request runs",
      ValueType.words(
          OnBusy.class,
          word ->
              switch (word) {
                case REJECT -> "a refusal that says when to come back";
                case WAIT -> "the first one's answer, as soon as it is there";
              }),
      p -> p.policy().onBusy(),
      engine(Policy.Builder::onBusy)),
  LONGEST_WAIT(
      "longest-wait",
      "how long a duplicate waits, if it waits",
      DURATION,
      p -> p.policy().longestWait(),
      engine(Policy.Builder::longestWait)),
  ON_CRASH(
      "on-crash",
      "what a retry gets when the first request never ended",
      ValueType.words(
          OnCrash.class,
          word ->
              switch (word) {
                case RUN_AGAIN -> "the retry runs, with a higher fence";
                case OUTCOME_UNKNOWN -> "409, until somebody releases the key";
                case HOLD -> "busy, until somebody releases the key";
              }),
      p -> p.policy().onCrash(),
      engine(Policy.Builder::onCrash)),
  ON_REJECTION(
      "on-rejection",
      "what becomes of a 4xx answer",
      ValueType.words(OnEnd.class, PolicyValue::meaning),
      p -> p.policy().onRejection(),
      engine(Policy.Builder::onRejection)),
  ON_FAILURE(
      "on-failure",
      "what becomes of a 5xx answer",
      ValueType.words(OnEnd.class, PolicyValue::meaning),
      p -> p.policy().onFailure(),
      engine(Policy.Builder::onFailure)),
  ON_STORE_DOWN(
      "on-store-down",
      "what happens when the store does not answer",
      ValueType.words(
          OnStoreDown.class,
          word ->
              switch (word) {
                case REFUSE -> "503: nothing runs";
                case GO_ON -> "it runs without protection";
              }),
      p -> p.policy().onStoreDown(),
      engine(Policy.Builder::onStoreDown)),
  KEEP(
      "keep",
      "how much of an answer is kept",
      ValueType.words(
          Keep.class,
          word ->
              switch (word) {
                case ANSWER -> "all of it";
                case STATUS_ONLY -> "the status, without headers and body";
              }),
      p -> p.policy().keep(),
      engine(Policy.Builder::keep)),
  MAX_STORED_BODY(
      "max-stored-body",
      "largest answer that is kept whole",
      ValueType.bytes(Policy.MAX_STORED_BODY),
      p -> p.policy().maxStoredBody(),
      engine(Policy.Builder::maxStoredBody));

  /** What kind of text a value is. */
  public enum Kind {
    BOOLEAN,
    NAME,
    NUMBER,
    BYTES,
    DURATION,
    /** Several, with commas between them. */
    LIST,
    /** One of {@link PolicyValue#words}. */
    WORD
  }

  /** A word that may be chosen, and what it means. */
  public record Word(String text, String meaning) {}

  private final String label;
  private final String meaning;

  @SuppressWarnings("ImmutableEnumChecker") // functions without state
  private final ValueType<?> type;

  @SuppressWarnings("ImmutableEnumChecker")
  private final Function<HttpPolicy, String> shown;

  @SuppressWarnings("ImmutableEnumChecker")
  private final BiFunction<HttpPolicy, String, HttpPolicy> change;

  <T> PolicyValue(
      String label,
      String meaning,
      ValueType<T> type,
      Function<HttpPolicy, T> get,
      BiFunction<HttpPolicy, T, HttpPolicy> set) {
    this.label = label;
    this.meaning = meaning;
    this.type = type;
    this.shown = policy -> type.show().apply(get.apply(policy));
    this.change = (policy, text) -> set.apply(policy, type.parse().apply(text));
  }

  private static <T> BiFunction<HttpPolicy, T, HttpPolicy> http(
      BiFunction<HttpPolicy.Builder, T, HttpPolicy.Builder> set) {
    return (http, value) -> http.with(b -> set.apply(b, value));
  }

  private static <T> BiFunction<HttpPolicy, T, HttpPolicy> key(
      BiFunction<KeyRule, T, KeyRule> set) {
    return (http, value) -> http.with(b -> b.keyRule(set.apply(http.keyRule(), value)));
  }

  private static <T> BiFunction<HttpPolicy, T, HttpPolicy> engine(
      BiFunction<Policy.Builder, T, Policy.Builder> set) {
    return (http, value) ->
        http.with(b -> b.policy(http.policy().with(policy -> set.apply(policy, value))));
  }

  private static String meaning(OnEnd word) {
    return switch (word) {
      case RECORD -> "it is kept and replayed";
      case RELEASE -> "nothing is kept: a retry runs";
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

  public Kind kind() {
    return type.kind();
  }

  /** What may stand there, for people. */
  public String expected() {
    return type.expected();
  }

  /** All that may stand there, if it is a {@link Kind#WORD}; or else empty. */
  public List<Word> words() {
    return type.words();
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
          label + ": '" + text + "' (expected: " + expected() + ")", e);
    }
  }

  /**
   * The policy with several values changed. Some are bounded by others, so what does not fit is
   * tried again when another did.
   *
   * @param unfit is told of each text that does not fit in the end, and why
   */
  public static HttpPolicy setAll(
      HttpPolicy start,
      Map<PolicyValue, String> texts,
      BiConsumer<PolicyValue, IllegalArgumentException> unfit) {
    HttpPolicy policy = start;
    List<PolicyValue> open = new ArrayList<>(new TreeSet<>(texts.keySet()));
    for (boolean changed = true; changed; ) {
      changed = false;
      for (PolicyValue value : List.copyOf(open)) {
        try {
          policy = value.set(policy, texts.getOrDefault(value, ""));
          changed = open.remove(value);
        } catch (IllegalArgumentException e) {
          // Another that is set later may make room for it.
        }
      }
    }
    for (PolicyValue value : open) {
      try {
        value.set(policy, texts.getOrDefault(value, ""));
      } catch (IllegalArgumentException e) {
        unfit.accept(value, e);
      }
    }
    return policy;
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
