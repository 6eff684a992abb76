package dev.once.cli;

import dev.once.http.conformance.ErrorPolicy;
import dev.once.http.conformance.KeyStyle;
import dev.once.http.conformance.Mismatch;
import dev.once.http.conformance.Protocol;
import dev.once.http.conformance.RefusalStyle;
import dev.once.http.conformance.Required;
import dev.once.http.conformance.TargetBuilder;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.PolicyValue;
import java.time.Duration;
import java.util.Locale;
import java.util.function.BiFunction;

/** What a person can say about a server that is to be checked. */
enum CheckFlag {
  METHOD("POST|PUT|PATCH|DELETE", "the method that makes something (POST)", TargetBuilder::method),
  BODY(
      "TEXT",
      "what is sent; {unique} becomes something new for each operation",
      TargetBuilder::body),
  CONTENT_TYPE("TYPE", "its media type (application/json)", TargetBuilder::contentType),
  HEADER("'NAME: VALUE'", "sent with every request; may be repeated", TargetBuilder::header),
  SECOND_HEADER(
      "'NAME: VALUE'",
      "makes a request come from another client; may be repeated",
      TargetBuilder::secondHeader),
  KEY_HEADER("NAME", "the header that carries the key (Idempotency-Key)", TargetBuilder::keyHeader),
  KEY_STYLE(
      "quoted|uuid|composite",
      "what a key looks like (quoted)",
      (target, text) -> target.keyStyle(KeyStyle.named(text))),
  MARKER(
      "'NAME: VALUE'",
      "what marks a replay, or none ('Idempotent-Replayed: true')",
      (target, text) -> text.equals("none") ? target.noMarker() : target.marker(text)),
  MISMATCH(
      "STATUS",
      "for a key that comes again with another request (422), or executed",
      (target, text) -> target.mismatch(Mismatch.parse(text))),
  BUSY("STATUS", "while the first request runs; several with commas (409)", TargetBuilder::busy),
  REFUSALS(
      "problem|stripe",
      "how refusals are worded (problem)",
      (target, text) -> target.refusals(RefusalStyle.named(text))),
  REQUIRED(
      "yes|no|unknown",
      "whether a key is needed (unknown)",
      (target, text) -> target.required(Required.named(text))),
  ERRORS(
      "replayed|released",
      "what becomes of a key after a 4xx or 5xx (replayed)",
      (target, text) -> target.errors(ErrorPolicy.named(text))),
  REJECTIONS(
      "replayed|released",
      "what becomes of a key after a 4xx",
      (target, text) -> target.rejections(ErrorPolicy.named(text))),
  FAILURES(
      "replayed|released",
      "what becomes of a key after a 5xx",
      (target, text) -> target.failures(ErrorPolicy.named(text))),
  COUNT_URL("URL", "where to GET how many things were made", TargetBuilder::countUrl),
  COUNT_POINTER(
      "POINTER",
      "JSON pointer to the number, or to the array to measure (the whole answer)",
      TargetBuilder::countPointer),
  SLOW_HEADER(
      "'NAME: VALUE'",
      "makes the endpoint take its time, for requests that meet",
      TargetBuilder::slowHeader),
  SLOW_BODY("TEXT", "the same by the body", TargetBuilder::slowBody),
  REJECT_BODY("TEXT", "a body that is answered with 4xx", TargetBuilder::rejectBody),
  REJECT_URL("URL", "an endpoint that answers 4xx", TargetBuilder::rejectUrl),
  FAIL_BODY("TEXT", "a body that is answered with 5xx", TargetBuilder::failBody),
  FAIL_URL("URL", "an endpoint that answers 5xx", TargetBuilder::failUrl),
  PARALLEL(
      "NUMBER",
      "how many requests race with one key (8)",
      (target, text) -> target.parallel(Integer.parseInt(text))),
  HTTP("1.1|2", "the version of HTTP (1.1)", (target, text) -> target.http(Protocol.named(text))),
  CONNECT_TIMEOUT(
      "DURATION",
      "how long connecting may take (5s)",
      (target, text) -> target.connectTimeout(duration(text))),
  REQUEST_TIMEOUT(
      "DURATION",
      "how long an answer may take, and a running operation to end (10s)",
      (target, text) -> target.requestTimeout(duration(text)));

  private final String placeholder;
  private final String meaning;

  @SuppressWarnings("ImmutableEnumChecker") // it holds nothing
  private final BiFunction<TargetBuilder, String, TargetBuilder> change;

  CheckFlag(
      String placeholder, String meaning, BiFunction<TargetBuilder, String, TargetBuilder> change) {
    this.placeholder = placeholder;
    this.meaning = meaning;
    this.change = change;
  }

  String option() {
    return "--" + name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  String placeholder() {
    return placeholder;
  }

  String meaning() {
    return meaning;
  }

  TargetBuilder set(TargetBuilder target, String text) {
    try {
      return change.apply(target, text);
    } catch (IllegalArgumentException e) {
      throw new UsageException(
          option() + ": '" + text + "' (expected: " + placeholder.toLowerCase(Locale.ROOT) + ")");
    }
  }

  /** As everywhere. */
  private static Duration duration(String text) {
    return PolicyValue.LONGEST_WAIT.set(HttpPolicy.DEFAULT, text).policy().longestWait();
  }
}
