package dev.once.http.gateway;

import dev.once.http.gateway.Patience.Wait;
import dev.once.http.semantics.FieldRules;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.ProblemType;
import dev.once.http.semantics.Problems;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request that is not in scope: passed on as it comes, of any size, in both directions. Bodies
 * that are known to be small are sent in one piece, because that is cheaper.
 *
 * <p>What one side cuts off is cut off on the other: half a body never passes for a whole one.
 */
final class PassThrough {

  private static final Logger log = LoggerFactory.getLogger(Gateway.class);
  private static final int SMALL = 16 * 1024;

  private final Upstream upstream;
  private final Problems problems;
  private final Cors cors;
  private final HttpPolicy policy;
  private final ServerHead head;
  private final HttpServerRequest incoming;
  private final HttpServerResponse outgoing;

  /** Whether the client's body is still on its way to the upstream. */
  private boolean uploading;

  PassThrough(
      Upstream upstream,
      Problems problems,
      Cors cors,
      HttpPolicy policy,
      ServerHead head,
      HttpServerRequest incoming) {
    this.upstream = upstream;
    this.problems = problems;
    this.cors = cors;
    this.policy = policy;
    this.head = head;
    this.incoming = incoming;
    this.outgoing = incoming.response();
  }

  void start() {
    if (isWebSocket()) {
      incoming.pause();
      request(call -> Tunnel.open(this, upstream, call, incoming));
    } else if (!head.hasBody()) {
      request(call -> send(call, null));
    } else if (isSmall(incoming.getHeader(HttpHeaders.CONTENT_LENGTH)) && !head.awaitsContinue()) {
      readSmall();
    } else {
      incoming.pause();
      request(this::stream);
    }
  }

  private void request(Handler<HttpClientRequest> then) {
    upstream
        .request(incoming.method(), head.target())
        .onComplete(
            call -> {
              if (call.succeeded()) {
                step(() -> forwardHead(call.result(), then));
              } else {
                problem(502, ProblemType.UPSTREAM_UNREACHABLE);
              }
            });
  }

  private void forwardHead(HttpClientRequest call, Handler<HttpClientRequest> then) {
    if (outgoing.closed()) {
      Upstream.giveUp(call); // the client left meanwhile
      return;
    }
    try {
      Forwarding.request(incoming, head, call.headers());
    } catch (IllegalArgumentException e) {
      Upstream.giveUp(call);
      problem(400, ProblemType.BAD_REQUEST);
      return;
    }
    then.handle(call);
  }

  // The request.

  private static boolean isSmall(@Nullable String length) {
    return length != null && length.length() <= 5 && Integer.parseInt(length) <= SMALL;
  }

  private void readSmall() {
    Wait reading =
        upstream
            .patience()
            .start(
                () -> {
                  problem(408, ProblemType.BODY_TOO_SLOW);
                  Leftover.cut(incoming);
                });
    incoming
        .body()
        .onComplete(
            body -> {
              if (reading.end() && body.succeeded()) {
                request(call -> send(call, body.result()));
              }
            });
  }

  private void send(HttpClientRequest call, @Nullable Buffer body) {
    Wait wait = upstream.watch(call);
    (body == null ? call.send() : call.send(body))
        .onComplete(
            answer -> {
              if (answer.succeeded()) {
                step(() -> answer(answer.result(), wait));
              } else {
                wait.end();
                failed(answer.cause());
              }
            });
  }

  private void stream(HttpClientRequest call) {
    String length = incoming.getHeader(HttpHeaders.CONTENT_LENGTH);
    if (length == null) {
      call.setChunked(true);
    } else {
      call.putHeader(HttpHeaders.CONTENT_LENGTH, length);
    }
    Wait wait = upstream.watch(call);
    uploading = true;
    call.exceptionHandler(cut -> {}); // the response fails, too, and that is enough
    call.response()
        .onComplete(
            answer -> {
              if (answer.succeeded()) {
                wait.moved();
                step(() -> answer(answer.result(), wait));
              } else {
                wait.end();
                failed(answer.cause());
              }
            });
    if (head.awaitsContinue()) {
      call.putHeader(HttpHeaders.EXPECT, "100-continue");
      call.continueHandler(go -> head.sayContinue());
      call.sendHead();
    }
    incoming
        .exceptionHandler(left -> call.connection().close())
        .endHandler(
            end -> {
              wait.moved();
              if (uploading) {
                uploading = false;
                call.end();
              }
            });
    Pump.start(incoming, call, wait);
  }

  // The answer.

  /** Sends an answer on; the wait is over with it. */
  void answer(HttpClientResponse answer, Wait wait) {
    if (outgoing.closed()) {
      wait.end();
      Upstream.drop(answer);
    } else if (Upstream.isInterim(answer)) {
      wait.end();
      failed(Upstream.notFinal(answer));
    } else if (!hasBody(answer)) {
      wait.end();
      head(answer);
      outgoing.end().onComplete(any -> answered(answer));
    } else if (isSmall(answer.getHeader(HttpHeaders.CONTENT_LENGTH))) {
      WholeBody.read(
          answer, SMALL, wait, body -> step(() -> whole(answer, body)), never -> {}, this::failed);
    } else {
      if (isEventStream(answer.getHeader(HttpHeaders.CONTENT_TYPE))) {
        wait.endless();
      }
      answer.pause();
      head(answer);
      Relay.body(answer, incoming, wait, () -> answered(answer));
    }
  }

  /** Such a stream is silent while nothing happens, and that is not a failure. */
  private static boolean isEventStream(@Nullable String type) {
    return type != null && type.toLowerCase(Locale.ROOT).startsWith("text/event-stream");
  }

  private void whole(HttpClientResponse answer, @Nullable Buffer body) {
    if (!outgoing.closed()) {
      head(answer);
      (body == null ? outgoing.end() : outgoing.end(body)).onComplete(any -> answered(answer));
    }
  }

  private void head(HttpClientResponse answer) {
    outgoing.setStatusCode(answer.statusCode());
    Forwarding.response(answer.headers(), outgoing.headers(), true);
    cors.onAnswer(head, policy, outgoing.headers());
    Replies.announceClose(incoming, head);
  }

  private boolean hasBody(HttpClientResponse answer) {
    int status = answer.statusCode();
    return !head.method().equals("HEAD") && status != 204 && status != 304;
  }

  /** The upstream may have answered before it had the whole request; then nobody wants the rest. */
  private void answered(HttpClientResponse answer) {
    Relay.closeIfEndless(incoming);
    if (!uploading) {
      return;
    }
    uploading = false;
    answer.request().connection().close();
    if (head.awaitsContinue()) {
      Leftover.cut(incoming);
    } else {
      Leftover.drop(incoming, upstream.patience(), false);
    }
  }

  // Upgrades.

  /** No other upgrade passes: whatever is spoken after it, nobody here would read. */
  private boolean isWebSocket() {
    return incoming.version() == HttpVersion.HTTP_1_1
        && incoming.method().equals(HttpMethod.GET)
        && "websocket".equalsIgnoreCase(incoming.getHeader(HttpHeaders.UPGRADE))
        && FieldRules.namedByConnection(head.headers("Connection")).contains("upgrade");
  }

  // Failures.

  void failed(Throwable failure) {
    boolean late = Upstream.isTimeout(failure);
    problem(late ? 504 : 502, late ? ProblemType.UPSTREAM_TIMEOUT : ProblemType.UPSTREAM_FAILED);
  }

  private void problem(int status, ProblemType type) {
    uploading = false;
    if (outgoing.headWritten()) {
      Cut.off(incoming);
    } else {
      Replies.send(
          incoming,
          problems.problem(null, status, type, type.advice(), null),
          head,
          policy,
          cors,
          upstream.patience());
    }
  }

  /** Runs a step; if it throws, this is the end. */
  private void step(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      log.error("a request could not be passed on", e);
      if (!outgoing.ended()) {
        Cut.off(incoming);
      }
    }
  }
}
