package dev.once.http.conformance.rules;

import static dev.once.http.conformance.rules.CheckedRule.additional;
import static dev.once.http.conformance.rules.CheckedRule.should;

import dev.once.http.conformance.rules.Refusal.Kind;
import dev.once.http.conformance.wire.Exchange;
import dev.once.http.conformance.wire.Json;
import dev.once.http.conformance.wire.NoAnswerException;
import dev.once.http.conformance.wire.Request;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** How refusals are worded. All of them are looked at, one of each kind. */
final class ProblemRules {

  /** The words by which a page, or a member of a problem, says how long keys are kept. */
  private static final Pattern RETENTION =
      Pattern.compile(
          "retention|retained|ttl|expir|kept for|keep.{0,20} for", Pattern.CASE_INSENSITIVE);

  static final List<CheckedRule> ALL =
      List.of(
          should(
              "draft-2.7-described",
              "2.7",
              "A refusal links to its documentation, and a conflict is at least described.",
              ProblemRules::described),
          additional(
              "beyond-problem",
              "A refusal is application/problem+json with type, title and the status it came"
                  + " with; or worded as described.",
              ProblemRules::problem),
          additional(
              "beyond-problem-page",
              "The documentation that a refusal points to is there.",
              ProblemRules::page),
          additional(
              "beyond-retention",
              "A refusal, or the documentation it points to, says how long keys are kept.",
              ProblemRules::retention),
          additional("beyond-echo", "A refusal does not repeat the key.", ProblemRules::echo));

  private ProblemRules() {}

  /** The draft asks for a link, but in a conflict for a description only. */
  private static Finding described(Session session) {
    List<Refusal> ofDraft = new ArrayList<>(session.refusals());
    ofDraft.removeIf(refusal -> refusal.kind() == Kind.MALFORMED);
    return all(
        ofDraft,
        refusal ->
            refusal.documentation().isPresent()
                || (refusal.kind() == Kind.RUNNING && named(refusal)),
        "a problem whose type is a link, or a Link with rel=describedby");
  }

  private static boolean named(Refusal refusal) {
    return refusal.problem().flatMap(p -> p.words(refusal.style().nameMember())).isPresent();
  }

  private static Finding problem(Session session) {
    return all(
        session.refusals(), ProblemRules::complete, session.target().answers().refusals().words());
  }

  private static boolean complete(Refusal refusal) {
    Json status = new Json.Literal(Integer.toString(refusal.exchange().status()));
    return named(refusal)
        && refusal.problem().flatMap(problem -> problem.words("type")).isPresent()
        && (!refusal.style().hasStatus()
            || refusal
                .problem()
                .flatMap(problem -> problem.at("/status"))
                .filter(status::equals)
                .isPresent());
  }

  private static Finding echo(Session session) {
    return all(
        session.refusals(),
        refusal ->
            refusal.secret().isEmpty()
                || !refusal.exchange().reply().text().contains(refusal.secret()),
        "a body without the key");
  }

  /** Requires something of every refusal, and names those that lack it. */
  private static Finding all(List<Refusal> refusals, Predicate<Refusal> wanted, String expected) {
    List<Refusal> bad = refusals.stream().filter(wanted.negate()).toList();
    if (refusals.isEmpty()) {
      return none();
    }
    return bad.isEmpty()
        ? Finding.PASSED
        : Finding.failed(
            expected
                + ", in the refusal of "
                + String.join(", ", bad.stream().map(refusal -> refusal.kind().words).toList()),
            bad.stream().map(Refusal::exchange).toList());
  }

  private static Finding page(Session session) {
    if (session.refusals().isEmpty()) {
      return none();
    }
    Map<URI, Exchange> pages = pages(session);
    List<Exchange> absent = new ArrayList<>(pages.values());
    absent.removeIf(exchange -> exchange.reply().ok());
    if (!absent.isEmpty()) {
      return Finding.failed("a page", absent);
    }
    return pages.isEmpty()
        ? Finding.notObserved("no refusal points to a page that can be reached")
        : Finding.PASSED;
  }

  private static Finding retention(Session session) {
    if (session.refusals().isEmpty()) {
      return none();
    }
    for (Refusal refusal : session.refusals()) {
      if (refusal.problem().filter(ProblemRules::hasRetention).isPresent()) {
        return Finding.PASSED;
      }
    }
    List<Exchange> pages = new ArrayList<>(pages(session).values());
    boolean told =
        pages.stream()
            .anyMatch(page -> page.reply().ok() && RETENTION.matcher(page.reply().text()).find());
    return told
        ? Finding.PASSED
        : Finding.failed(
            "a member of the problem, or a page, that says how long keys are kept",
            session.refusals().get(0).exchange());
  }

  private static boolean hasRetention(Json problem) {
    return problem instanceof Json.Members members
        && members.byName().keySet().stream().anyMatch(name -> RETENTION.matcher(name).find());
  }

  /** Read without credentials: a page may be on another host, which must not see them. */
  private static Map<URI, Exchange> pages(Session session) {
    Map<URI, Exchange> pages = new LinkedHashMap<>();
    for (Refusal refusal : session.refusals()) {
      refusal
          .documentation()
          .filter(
              uri ->
                  uri.getScheme() != null
                      && uri.getScheme().matches("https?")
                      && uri.getHost() != null)
          .ifPresent(uri -> read(session, uri, pages));
    }
    return pages;
  }

  private static void read(Session session, URI uri, Map<URI, Exchange> pages) {
    try {
      pages.put(uri, session.send(new Request("GET", uri, List.of(), List.of(), "")));
    } catch (NoAnswerException e) {
      // Out of reach from here, which says nothing about the server.
    }
  }

  private static Finding none() {
    return Finding.notObserved("nothing was refused that could be looked at");
  }
}
