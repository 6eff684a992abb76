package dev.once.http.conformance.rules;

import dev.once.http.conformance.RefusalStyle;
import dev.once.http.conformance.Required;
import dev.once.http.conformance.Target.Variation;
import dev.once.http.conformance.wire.Exchange;
import dev.once.http.conformance.wire.Json;
import dev.once.http.conformance.wire.NoAnswerException;
import dev.once.http.conformance.wire.Request;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A request that the server refused because of its key.
 *
 * @param secret what the key was, and must not come back; empty if there was none
 */
record Refusal(Kind kind, String secret, Exchange exchange, RefusalStyle style) {

  /** Why it was refused, in words that go on after "the refusal of". */
  enum Kind {
    MISSING("a missing key"),
    MALFORMED("a malformed key"),
    OTHER_PAYLOAD("another payload"),
    RUNNING("a running operation");

    final String words;

    Kind(String words) {
      this.words = words;
    }
  }

  private static final Pattern DESCRIBED_BY =
      Pattern.compile("<([^>]+)>[^,]*;\\s*rel=\"?describedby\"?", Pattern.CASE_INSENSITIVE);

  private static final Pattern URL = Pattern.compile("https?://[^\\s\"'<>\\\\]+");

  /** One of each kind that this server knows; what it does not answer, other rules report. */
  static List<Refusal> gather(Session session) {
    List<Refusal> refusals = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      try {
        refused(session, kind).ifPresent(refusals::add);
      } catch (NoAnswerException | NotProcessedException e) {
        // One refusal less to look at.
      }
    }
    return List.copyOf(refusals);
  }

  private static Optional<Refusal> refused(Session session, Kind kind)
      throws NoAnswerException, NotProcessedException {
    return switch (kind) {
      case MISSING -> missing(session);
      case MALFORMED -> malformed(session);
      case OTHER_PAYLOAD -> otherPayload(session);
      case RUNNING -> session.race().busy().stream().findFirst().flatMap(e -> of(kind, e, session));
    };
  }

  private static Optional<Refusal> missing(Session session) throws NoAnswerException {
    return session.target().keys().required() == Required.NO
        ? Optional.empty()
        : of(Kind.MISSING, session.send(session.requests().fresh().withKeys(List.of())), session);
  }

  private static Optional<Refusal> malformed(Session session) throws NoAnswerException {
    Requests requests = session.requests();
    String unbalanced = "\"" + requests.newKey().text();
    return of(
        Kind.MALFORMED, session.send(requests.underValue(requests.fresh(), unbalanced)), session);
  }

  private static Optional<Refusal> otherPayload(Session session)
      throws NoAnswerException, NotProcessedException {
    boolean executed = session.target().answers().mismatch().executed();
    if (executed || !session.requests().payloadsDiffer(Variation.NONE)) {
      return Optional.empty();
    }
    Request other = session.requests().otherPayload(session.make().request(), Variation.NONE);
    return of(Kind.OTHER_PAYLOAD, session.send(other), session);
  }

  private static Optional<Refusal> of(Kind kind, Exchange exchange, Session session) {
    RefusalStyle style = session.target().answers().refusals();
    return exchange.reply().refused()
        ? Optional.of(new Refusal(kind, keyOf(exchange.request()), exchange, style))
        : Optional.empty();
  }

  private static String keyOf(Request request) {
    return request.keys().isEmpty() ? "" : request.keys().get(0).value().replace("\"", "");
  }

  /** What describes it: the problem detail (RFC 9457), or what has its place in this style. */
  Optional<Json> problem() {
    boolean typed = exchange.reply().first("Content-Type").orElse("").startsWith(style.mediaType());
    return typed
        ? Json.parse(exchange.reply().text()).flatMap(json -> json.at(style.pointer()))
        : Optional.empty();
  }

  /** Where the refusal is documented: by the type of its problem, a Link, or a URL in its body. */
  Optional<URI> documentation() {
    Optional<String> type =
        problem()
            .flatMap(json -> json.words(style == RefusalStyle.PROBLEM ? "type" : "doc_url"))
            .filter(t -> !t.startsWith("about:"));
    return type.or(this::link).or(this::mentioned).flatMap(this::resolve);
  }

  private Optional<String> mentioned() {
    return URL.matcher(exchange.reply().text()).results().map(MatchResult::group).findFirst();
  }

  private Optional<String> link() {
    return exchange.reply().all("Link").stream()
        .map(DESCRIBED_BY::matcher)
        .filter(Matcher::find)
        .map(matcher -> matcher.group(1))
        .findFirst();
  }

  private Optional<URI> resolve(String reference) {
    try {
      return Optional.of(exchange.request().uri().resolve(reference));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
