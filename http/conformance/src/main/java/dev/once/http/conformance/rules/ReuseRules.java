package dev.once.http.conformance.rules;

import static dev.once.http.conformance.rules.CheckedRule.additional;
import static dev.once.http.conformance.rules.CheckedRule.must;
import static dev.once.http.conformance.rules.CheckedRule.should;

import dev.once.http.conformance.Header;
import dev.once.http.conformance.Mismatch;
import dev.once.http.conformance.Target;
import dev.once.http.conformance.Target.Variation;
import dev.once.http.conformance.rules.ReplayDetection.ObservedReply;
import dev.once.http.conformance.rules.ReplayDetection.ResultSource;
import dev.once.http.conformance.wire.Exchange;
import dev.once.http.conformance.wire.NoAnswerException;
import dev.once.http.conformance.wire.Request;
import java.net.URI;
import java.util.List;
import java.util.Set;

/** A key that comes again with another request, or from another client. */
final class ReuseRules {

  static final List<CheckedRule> ALL =
      List.of(
          must(
              "draft-2.2-reuse",
              "2.2",
              "A key that comes again with another payload does not get the first answer.",
              ReuseRules::reuse),
          should(
              "draft-2.7-reuse-status",
              "2.7",
              "A key that comes again with another payload gets 422.",
              ReuseRules::status),
          should(
              "draft-2.6-reuse-original",
              "2.6",
              "After another payload was refused, a retry still gets the first answer.",
              ReuseRules::original),
          additional(
              "beyond-other-path",
              "The same key on another path does not get the first answer.",
              session -> elsewhere(session, "/once-check", "")),
          additional(
              "beyond-other-query",
              "The same key with another query does not get the first answer.",
              session -> elsewhere(session, "", "once-check=1")),
          additional(
              "beyond-get",
              "A GET with a key is answered afresh and does not use the key up.",
              ReuseRules::get),
          additional(
              "beyond-credentials",
              "The same key from another client does not get the first answer.",
              ReuseRules::credentials));

  private ReuseRules() {}

  private static Finding reuse(Session session) throws NoAnswerException, NotProcessedException {
    if (!session.requests().payloadsDiffer(Variation.NONE)) {
      return sameBody();
    }
    Mismatch mismatch = session.target().answers().mismatch();
    Exchange first = session.make();
    Request other = session.requests().otherPayload(first.request(), Variation.NONE);
    ObservedReply second = session.observe(other, mismatch.executed() ? 1 : 0);
    return mismatch.executed()
        ? ReplayRules.executed(session, first, second)
        : Finding.require(
            second.reply().refused() && second.grewBy(0),
            "a refusal and no effect" + second.growth(),
            first,
            second.exchange());
  }

  private static Finding status(Session session) throws NoAnswerException, NotProcessedException {
    if (!session.requests().payloadsDiffer(Variation.NONE)) {
      return sameBody();
    }
    Set<Integer> expected = session.target().answers().mismatch().statuses();
    if (expected.isEmpty()) {
      return Finding.skipped(
          "--mismatch with a status", "this server is described as executing another payload");
    }
    Exchange first = session.make();
    Exchange second =
        session.send(session.requests().otherPayload(first.request(), Variation.NONE));
    if (!expected.contains(second.status())) {
      return Finding.failed(Finding.either(expected), first, second);
    }
    return second.status() == 422
        ? Finding.PASSED
        : Finding.passed("as described: " + second.status() + "; the draft names 422");
  }

  private static Finding original(Session session) throws NoAnswerException, NotProcessedException {
    if (!session.requests().payloadsDiffer(Variation.NONE)) {
      return sameBody();
    }
    Exchange first = session.make();
    session.send(session.requests().otherPayload(first.request(), Variation.NONE));
    return ReplayRules.replayed(session, first, session.observe(first.request()));
  }

  private static Finding elsewhere(Session session, String path, String query)
      throws NoAnswerException, NotProcessedException {
    Exchange first = session.make();
    URI there = beside(first.request().uri(), path, query);
    ObservedReply second = session.observe(first.request().withUri(there));
    return notTheFirst(session, first, second);
  }

  private static URI beside(URI uri, String path, String query) {
    String bare = uri.toString().replaceFirst("\\?.*", "");
    String text = path.isEmpty() ? bare : bare.replaceFirst("/$", "") + path;
    String old = uri.getRawQuery() == null ? "" : uri.getRawQuery();
    String all = old.isEmpty() || query.isEmpty() ? old + query : old + "&" + query;
    return URI.create(all.isEmpty() ? text : text + "?" + all);
  }

  private static Finding notTheFirst(Session session, Exchange first, ObservedReply second) {
    ResultSource seen = session.replayDetection().compare(first.reply(), second);
    return seen == ResultSource.UNKNOWN
        ? ReplayDetection.notDetectable()
        : Finding.require(
            seen == ResultSource.OTHER,
            "an answer of its own, or a refusal" + second.growth(),
            first,
            second.exchange());
  }

  private static Finding get(Session session) throws NoAnswerException {
    Request post = session.requests().fresh();
    Request get = post.withMethod("GET").withBody("");
    Counter counter = session.counter();
    Request counting = counter == null ? get : counter.request().withKeys(post.keys());
    List<Exchange> gets = List.of(session.send(get), session.send(get), session.send(counting));
    for (Exchange exchange : gets) {
      if (session.replayDetection().marks(exchange.reply())) {
        return Finding.failed("no replay of a GET", exchange);
      }
    }
    ObservedReply made = session.observe(post, 1);
    if (!made.reply().ok() || !made.grewBy(1) || session.replayDetection().marks(made.reply())) {
      return Finding.failed("a first request" + made.growth(), gets.get(0), made.exchange());
    }
    Exchange after = session.send(counting);
    boolean stale = counter != null && after.reply().equalTo(gets.get(2).reply());
    boolean crossed =
        after.reply().sameResult(made.reply()) && !gets.get(2).reply().sameResult(made.reply());
    return Finding.require(
        !stale && !crossed && !session.replayDetection().marks(after.reply()),
        "a GET that is answered afresh",
        gets.get(2),
        made.exchange(),
        after);
  }

  private static Finding credentials(Session session)
      throws NoAnswerException, NotProcessedException {
    List<Header> others = session.target().secondHeaders();
    if (others.isEmpty()) {
      return Finding.skipped("--second-header", "another client's credentials");
    }
    Exchange first = session.make();
    ObservedReply second = session.observe(first.request().withHeaders(others));
    return Set.of(401, 403).contains(second.status())
        ? Finding.notObserved("the second credentials are not accepted: " + second.reply())
        : notTheFirst(session, first, second);
  }

  private static Finding sameBody() {
    return Finding.skipped(
        "--body with " + Target.UNIQUE, "without it there is no other payload to send");
  }
}
