package dev.once.http.conformance.rules;

import dev.once.http.conformance.Header;
import dev.once.http.conformance.KeyStyle;
import dev.once.http.conformance.Protocol;
import dev.once.http.conformance.Target;
import dev.once.http.conformance.TargetException;
import dev.once.http.conformance.wire.Exchange;
import dev.once.http.conformance.wire.NoAnswerException;
import dev.once.http.conformance.wire.Reply;
import dev.once.http.conformance.wire.Request;
import dev.once.http.conformance.wire.Wire;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is learned about a server before its rules are checked:
 *
 * <ol>
 *   <li>that it is there, and speaks the version of HTTP that is asked for;
 *   <li>that the counter counts;
 *   <li>that a first request is processed. If it is not, and its key was an RFC 8941 String, the
 *       run goes on with bare keys, so that one broken rule does not hide the others;
 *   <li>whether a second operation with the same payload can be told from the first, and whether a
 *       replay is marked: {@link ReplayDetection}.
 * </ol>
 */
record ServerDiscovery(
    Requests requests, ReplayDetection replayDetection, @Nullable Exchange refusedString) {

  static Session openSession(Target target) {
    Wire wire = new Wire(target.transport());
    if (target.transport().protocol() == Protocol.HTTP_2) {
      upgrade(target, wire);
    }
    Counter counter =
        target.counting() == null ? null : new Counter(target.counting(), target.headers(), wire);
    if (counter != null) {
      probe(counter);
    }
    return new Session(target, wire, counter, discover(target, wire));
  }

  /** A GET, because the upgrade of a request with a body is more than some servers can do. */
  private static void upgrade(Target target, Wire wire) {
    URI uri = URI.create(target.url().replace(Target.UNIQUE, "unique"));
    Exchange exchange =
        sendOrFail("url", wire, new Request("GET", uri, target.headers(), List.of(), ""));
    if (!exchange.reply().http2()) {
      throw new TargetException("http", "2, and the server spoke HTTP/1.1", "1.1");
    }
  }

  private static void probe(Counter counter) {
    try {
      counter.read();
    } catch (NoAnswerException e) {
      throw noAnswer("count-url", counter.request(), e);
    }
  }

  private static ServerDiscovery discover(Target target, Wire wire) {
    Requests requests = new Requests(target, target.keys().style());
    Exchange first = sendOrFail("url", wire, requests.fresh());
    Exchange refusedString = null;
    if (!first.reply().ok() && target.keys().style() == KeyStyle.QUOTED) {
      refusedString = first;
      requests = new Requests(target, KeyStyle.UUID);
      first = sendOrFail("url", wire, requests.fresh());
    }
    if (!first.reply().ok()) {
      throw new TargetException(
          "url",
          first.request().uri() + " answered " + first.reply() + " to a first request",
          "a status below 400; --method, --header, --body, --content-type, --key-header and"
              + " --key-style describe what it takes");
    }
    Optional<Reply> control = trySend(wire, requests.underNewKey(first.request()));
    Optional<Reply> retry = trySend(wire, first.request());
    return new ServerDiscovery(
        requests,
        new ReplayDetection(
            control.isPresent() && !control.get().sameResult(first.reply()),
            trusted(target.answers().marker(), first.reply(), control, retry)),
        refusedString);
  }

  /** The marker, if it marks replays and nothing else. */
  private static @Nullable Header trusted(
      @Nullable Header marker, Reply first, Optional<Reply> control, Optional<Reply> retry) {
    boolean trusted =
        marker != null
            && retry.filter(reply -> reply.hasHeader(marker)).isPresent()
            && control.filter(reply -> reply.hasHeader(marker)).isEmpty()
            && !first.hasHeader(marker);
    return trusted ? marker : null;
  }

  /** That a server does not answer a retry is for the rules to report. */
  private static Optional<Reply> trySend(Wire wire, Request request) {
    try {
      return Optional.of(wire.send(request).reply());
    } catch (NoAnswerException e) {
      return Optional.empty();
    }
  }

  private static Exchange sendOrFail(String option, Wire wire, Request request) {
    try {
      return wire.send(request);
    } catch (NoAnswerException e) {
      throw noAnswer(option, request, e);
    }
  }

  private static TargetException noAnswer(String option, Request request, NoAnswerException e) {
    return new TargetException(
        option,
        request.uri() + " " + e.why(),
        "a server that answers" + (e.why().contains("TLS") ? "; --insecure trusts any" : ""));
  }
}
