package dev.once.http.conformance.rules;

import static dev.once.http.conformance.rules.CheckedRule.additional;
import static dev.once.http.conformance.rules.CheckedRule.should;

import dev.once.http.conformance.Header;
import dev.once.http.conformance.rules.ReplayDetection.ObservedReply;
import dev.once.http.conformance.rules.ReplayDetection.ResultSource;
import dev.once.http.conformance.wire.Exchange;
import dev.once.http.conformance.wire.Json;
import dev.once.http.conformance.wire.NoAnswerException;
import dev.once.http.conformance.wire.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** First requests, and retries of what is finished. */
final class ReplayRules {

  /** Fields that belong to the result, not to the connection that brought it. */
  private static final List<String> OF_THE_RESULT =
      List.of("Location", "Content-Type", "Content-Location", "Content-Language");

  static final List<CheckedRule> ALL =
      List.of(
          should("draft-2.6-first", "2.6", "A first request is processed.", ReplayRules::first),
          should(
              "draft-2.6-replay",
              "2.6",
              "A retry gets the first answer: same status, same body byte for byte.",
              ReplayRules::replay),
          should(
              "draft-2.6-replay-headers",
              "2.6",
              "A retry gets the header fields that belong to the first answer.",
              ReplayRules::replayHeaders),
          should("draft-2.6-effect", "2.6", "A retry has no second effect.", ReplayRules::effect),
          should("draft-2.2-keys", "2.2", "Two keys name two operations.", ReplayRules::keys),
          additional(
              "beyond-same-payload",
              "Two keys with the same payload name two operations.",
              ReplayRules::samePayload),
          additional("beyond-marker", "A replay is marked as one.", ReplayRules::marker),
          additional(
              "beyond-marker-only",
              "What is not a replay is not marked as one.",
              ReplayRules::markerOnly),
          additional("beyond-cookie", "A cookie is set once, not replayed.", ReplayRules::cookie),
          additional(
              "beyond-json",
              "JSON with other white space and another order of members is the same payload.",
              ReplayRules::json));

  private ReplayRules() {}

  private static Finding first(Session session) throws NoAnswerException {
    ObservedReply first = session.observe(session.requests().fresh(), 1);
    return Finding.require(
        first.reply().ok() && first.grewBy(1),
        "a status below 400, and one effect" + first.growth(),
        first.exchange());
  }

  private static Finding replay(Session session) throws NoAnswerException, NotProcessedException {
    Exchange first = session.make();
    ObservedReply retry = session.observe(first.request());
    Exchange third = session.send(first.request());
    if (!retry.reply().equalTo(first.reply()) || !third.reply().equalTo(first.reply())) {
      return Finding.failed("the first answer again", first, retry.exchange(), third);
    }
    boolean told =
        session.replayDetection().answersDiffer() || session.replayDetection().marks(retry.reply());
    boolean counted = retry.effects().isPresent() && retry.grewBy(0);
    return told || counted ? Finding.PASSED : ReplayDetection.notDetectable();
  }

  private static Finding replayHeaders(Session session)
      throws NoAnswerException, NotProcessedException {
    Exchange first = session.make();
    Exchange retry = session.send(first.request());
    List<String> present =
        OF_THE_RESULT.stream().filter(name -> first.reply().first(name).isPresent()).toList();
    if (present.isEmpty()) {
      return Finding.notObserved("the first answer has no " + String.join(", ", OF_THE_RESULT));
    }
    List<String> lost = new ArrayList<>(present);
    lost.removeIf(name -> first.reply().all(name).equals(retry.reply().all(name)));
    return Finding.require(
        lost.isEmpty(), "the same " + String.join(", ", lost) + " as at first", first, retry);
  }

  private static Finding effect(Session session) throws NoAnswerException {
    if (session.counter() == null) {
      return Finding.skipped("--count-url", "an effect shows only where somebody counts");
    }
    ObservedReply first = session.observe(session.requests().fresh(), 1);
    if (!first.reply().ok() || first.grewBy(0)) {
      return Finding.notObserved("the first request had no effect that the count shows");
    }
    ObservedReply retry = session.observe(first.exchange().request());
    return Finding.require(
        retry.grewBy(0), "no effect" + retry.growth(), first.exchange(), retry.exchange());
  }

  private static Finding keys(Session session) throws NoAnswerException {
    Exchange first = session.send(session.requests().fresh());
    ObservedReply second = session.observe(session.requests().fresh(), 1);
    return executed(session, first, second);
  }

  private static Finding samePayload(Session session)
      throws NoAnswerException, NotProcessedException {
    Exchange first = session.make();
    ObservedReply second = session.observe(session.requests().underNewKey(first.request()), 1);
    return second.reply().refused()
        ? Finding.notObserved("the application refuses the same payload: " + second.reply())
        : executed(session, first, second);
  }

  /** Requires that {@code second} ran, and did not get the answer of {@code first}. */
  static Finding executed(Session session, Exchange first, ObservedReply second) {
    ResultSource seen = session.replayDetection().compare(first.reply(), second);
    if (seen == ResultSource.UNKNOWN) {
      return ReplayDetection.notDetectable();
    }
    boolean ran = second.reply().ok() && seen == ResultSource.OTHER && second.grewBy(1);
    return Finding.require(ran, "a second operation" + second.growth(), first, second.exchange());
  }

  private static Finding marker(Session session) throws NoAnswerException, NotProcessedException {
    Header marker = session.target().answers().marker();
    if (marker == null) {
      return Finding.skipped("--marker", "this server is described as marking nothing");
    }
    Exchange first = session.make();
    Exchange retry = session.send(first.request());
    return Finding.require(retry.reply().hasHeader(marker), marker + " on a replay", first, retry);
  }

  private static Finding markerOnly(Session session)
      throws NoAnswerException, NotProcessedException {
    Header marker = session.target().answers().marker();
    if (marker == null) {
      return Finding.skipped("--marker", "this server is described as marking nothing");
    }
    List<Exchange> others = new ArrayList<>();
    others.add(session.make());
    session.refusals().forEach(refusal -> others.add(refusal.exchange()));
    others.removeIf(exchange -> !exchange.reply().hasHeader(marker));
    return others.isEmpty()
        ? Finding.PASSED
        : Finding.failed("no " + marker + " on first answers and refusals", others);
  }

  private static Finding cookie(Session session) throws NoAnswerException, NotProcessedException {
    Exchange first = session.make();
    List<String> cookies = first.reply().all("Set-Cookie");
    if (cookies.isEmpty()) {
      return Finding.notObserved("the first answer sets no cookie");
    }
    Exchange retry = session.send(first.request());
    boolean replayed = retry.reply().all("Set-Cookie").stream().anyMatch(cookies::contains);
    return Finding.require(!replayed, "no Set-Cookie of the first answer", first, retry);
  }

  private static Finding json(Session session) throws NoAnswerException, NotProcessedException {
    Request request = session.requests().fresh();
    Optional<Json> json = Json.parse(request.body()).filter(Json.Members.class::isInstance);
    if (json.isEmpty()) {
      return Finding.skipped("--body", "a JSON object can be written in another way");
    }
    Exchange first = session.make(request);
    ObservedReply later = session.observe(request.withBody(JsonRewriter.of(json.get())));
    return replayed(session, first, later);
  }

  /** Requires that {@code later} got the answer of {@code first}. */
  static Finding replayed(Session session, Exchange first, ObservedReply later) {
    ResultSource seen = session.replayDetection().compare(first.reply(), later);
    return seen == ResultSource.UNKNOWN
        ? ReplayDetection.notDetectable()
        : Finding.require(
            seen == ResultSource.FIRST,
            "the first answer again" + later.growth(),
            first,
            later.exchange());
  }
}
