package dev.once.http.conformance.rules;

import static dev.once.http.conformance.rules.CheckedRule.additional;
import static dev.once.http.conformance.rules.CheckedRule.must;
import static dev.once.http.conformance.rules.CheckedRule.should;

import dev.once.http.conformance.Header;
import dev.once.http.conformance.KeyStyle;
import dev.once.http.conformance.Protocol;
import dev.once.http.conformance.Required;
import dev.once.http.conformance.rules.ReplayDetection.ObservedReply;
import dev.once.http.conformance.wire.Exchange;
import dev.once.http.conformance.wire.NoAnswerException;
import dev.once.http.conformance.wire.Request;
import java.util.List;
import java.util.function.Predicate;

/** Keys that are well formed, malformed, or not there. */
final class KeyRules {

  static final List<CheckedRule> ALL =
      List.of(
          must(
              "draft-2.1-string",
              "2.1",
              "A key that is an RFC 8941 String is taken.",
              KeyRules::string),
          should("draft-2.1-empty", "2.1", "An empty key gets 400.", KeyRules::empty),
          should(
              "draft-2.1-unbalanced",
              "2.1",
              "A key that opens a quote and does not close it gets 400.",
              KeyRules::unbalanced),
          should(
              "draft-2.1-non-ascii",
              "2.1",
              "A key with characters outside ASCII gets 400.",
              KeyRules::nonAscii),
          should(
              "draft-2.1-repeated", "2.1", "A request with two keys gets 400.", KeyRules::repeated),
          should(
              "draft-5-too-long",
              "5",
              "A key of 5000 characters gets a 4xx, and gets it in time.",
              KeyRules::tooLong),
          should(
              "draft-2.7-missing",
              "2.7",
              "A request without a key gets 400 where a key is required.",
              KeyRules::missing),
          additional(
              "beyond-no-key",
              "Requests without a key are processed, each of them, where a key is optional.",
              KeyRules::noKey),
          additional(
              "beyond-spaces",
              "A key in quotes that has spaces is taken whole, or gets 400.",
              KeyRules::spaces),
          additional(
              "beyond-quotes",
              "A key in quotes and the same key bare never name two operations.",
              KeyRules::quotes));

  private KeyRules() {}

  private static Finding string(Session session) throws NoAnswerException {
    Exchange refused = session.refusedString();
    if (refused != null) {
      return Finding.failed("a status below 400, as for a bare key", refused);
    }
    Key key = session.requests().newKey().inQuotes(true);
    Exchange exchange = session.send(session.requests().under(session.requests().fresh(), key));
    if (exchange.reply().refused() && !quoted(session)) {
      return Finding.skipped("--key-style quoted", "this server is described as taking bare keys");
    }
    return Finding.require(exchange.reply().ok(), "a status below 400", exchange);
  }

  /** Two keys that agree up to a space, under two payloads. */
  private static Finding spaces(Session session) throws NoAnswerException {
    String text = session.requests().newKey().text();
    Exchange first = session.send(spaced(session, text + " one"));
    if (first.status() == 400) {
      return Finding.PASSED;
    }
    if (!first.reply().ok()) {
      return Finding.failed("a status below 400, or 400", first);
    }
    Exchange second = session.send(spaced(session, text + " two"));
    return Finding.require(second.reply().ok(), "a status below 400, as for the first", second);
  }

  private static Request spaced(Session session, String text) {
    return session.requests().under(session.requests().fresh(), new Key(text, true));
  }

  private static Finding empty(Session session) throws NoAnswerException {
    Request request = session.requests().underValue(session.requests().fresh(), "");
    return refused(session.observe(request), status -> status == 400, "400");
  }

  private static Finding unbalanced(Session session) throws NoAnswerException {
    String value = "\"" + session.requests().newKey().text();
    Request request = session.requests().underValue(session.requests().fresh(), value);
    ObservedReply observed = session.observe(request);
    return observed.reply().ok() && !quoted(session)
        ? Finding.skipped("--key-style quoted", "a quote may be part of a bare key")
        : refused(observed, status -> status == 400, "400");
  }

  private static Finding nonAscii(Session session) throws NoAnswerException {
    if (session.target().transport().protocol() != Protocol.HTTP_1_1) {
      return Finding.skipped("--http 1.1", "the client for HTTP/2 sends ASCII only");
    }
    Key key = session.requests().newKey();
    Key accented = new Key(key.text().replaceFirst("[0-9a-f]{4}", "clé€"), key.quoted());
    Exchange exchange =
        session.sendRaw(session.requests().under(session.requests().fresh(), accented));
    return Finding.require(exchange.status() == 400, "400", exchange);
  }

  private static Finding repeated(Session session) throws NoAnswerException {
    Requests requests = session.requests();
    List<Header> two = List.of(requests.line(requests.newKey()), requests.line(requests.newKey()));
    ObservedReply observed = session.observe(requests.fresh().withKeys(two));
    return refused(observed, status -> status == 400, "400");
  }

  private static Finding tooLong(Session session) throws NoAnswerException {
    Requests requests = session.requests();
    ObservedReply observed =
        session.observe(requests.under(requests.fresh(), requests.tooLongKey()));
    return refused(observed, status -> status >= 400 && status < 500, "a status from 400 to 499");
  }

  private static Finding refused(
      ObservedReply observed, Predicate<Integer> expected, String words) {
    return Finding.require(
        expected.test(observed.status()) && observed.grewBy(0),
        words + " and no effect" + observed.growth(),
        observed.exchange());
  }

  private static Finding missing(Session session) throws NoAnswerException {
    if (session.target().keys().required() == Required.NO) {
      return Finding.skipped(
          "--required yes", "this server is described as taking requests without");
    }
    ObservedReply observed = session.observe(session.requests().fresh().withKeys(List.of()));
    boolean unknown = session.target().keys().required() == Required.UNKNOWN;
    if (unknown && observed.reply().ok()) {
      return Finding.notObserved(
          "a key is optional here; --required yes would make this a failure");
    }
    return refused(observed, status -> status == 400, "400");
  }

  /** Twice, because a server may take "no key" for the name of one operation. */
  private static Finding noKey(Session session) throws NoAnswerException {
    if (session.target().keys().required() == Required.YES) {
      return Finding.skipped("--required no", "this server is described as requiring a key");
    }
    Exchange first = session.send(session.requests().fresh().withKeys(List.of()));
    if (first.reply().refused() && session.target().keys().required() == Required.UNKNOWN) {
      return Finding.notObserved("a key is required here; --required no would make this a failure");
    }
    ObservedReply second = session.observe(session.requests().fresh().withKeys(List.of()), 1);
    return Finding.require(
        first.reply().ok() && second.reply().ok() && second.grewBy(1),
        "two operations" + second.growth(),
        first,
        second.exchange());
  }

  /** A server that takes one of the two forms only has no way to go wrong. */
  private static Finding quotes(Session session) throws NoAnswerException, NotProcessedException {
    Requests requests = session.requests();
    Key key = requests.newKey();
    Exchange first = session.make(requests.under(requests.fresh(), key));
    Key other = key.inQuotes(!key.quoted());
    ObservedReply later = session.observe(requests.under(first.request(), other));
    return later.reply().refused()
        ? Finding.notObserved("only one of the two forms is taken: " + later.reply())
        : ReplayRules.replayed(session, first, later);
  }

  private static boolean quoted(Session session) {
    return session.target().keys().style() == KeyStyle.QUOTED;
  }
}
