package dev.once.http.gateway;

import dev.once.http.gateway.IdleTimeouts.Timeout;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.Problem;
import dev.once.http.semantics.ProblemLog;
import dev.once.http.semantics.ProblemType;
import dev.once.http.semantics.Problems;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One request that is not in scope: passed on as it comes, of any size, in both directions. Bodies
 * that are known to be small are sent in one piece, because that is cheaper.
 *
 * <p>What one side cuts off is cut off on the other: half a body never passes for a whole one.
 */
final class PassThrough {

  private static final int SMALL = HeldBytes.SMALL;
  private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

  private final Upstream upstream;
  private final Problems problems;
  private final Cors cors;
  private final HttpPolicy policy;
  private final ServerHead head;
  private final HttpServerRequest incoming;
  private final HttpServerResponse outgoing;
  private final BodyBuffering buffering;

  /** The client's body, if it is small; else it is not held. */
  private final HeldBody small;

  /** Whether the client's body is still on its way to the upstream. */
  private boolean uploading;

  /** Whether the answer is one that may be silent, once the whole request is sent. */
  private boolean isStream;

  /** For a body that streams. */
  private @Nullable MinimumRate minimumRate;

  /** Whether it is one of those {@link BodyBuffering#uploads}. */
  private boolean takesPart;

  PassThrough(
      Upstream upstream,
      Problems problems,
      Cors cors,
      HttpPolicy policy,
      ServerHead head,
      HttpServerRequest incoming,
      BodyBuffering buffering) {
    this.upstream = upstream;
    this.problems = problems;
    this.cors = cors;
    this.policy = policy;
    this.head = head;
    this.incoming = incoming;
    this.outgoing = incoming.response();
    this.buffering = buffering;
    this.small = buffering.newRequestBody();
  }

  void start() {
    if (isWebSocket()) {
      incoming.pause();
      EarlyBytes.hold(incoming);
      outgoing.endHandler(notGranted -> EarlyBytes.resume(incoming));
      request(call -> Tunnel.open(this, upstream, call, incoming));
    } else if (!head.hasBody()) {
      request(call -> send(call, small));
    } else if (!head.awaitsContinue()
        && makeRoom(small, incoming.getHeader(HttpHeaders.CONTENT_LENGTH))) {
      readSmall();
    } else if (buffering.uploads().tryTake(ClientConnection.of(incoming))) {
      takesPart = true;
      BodyPipe.pause(incoming);
      request(this::stream);
    } else {
      problem(503, ProblemType.OVERLOADED);
    }
  }

  private void request(Handler<HttpClientRequest> then) {
    upstream
        .request(incoming.method(), head.target(), false)
        .onComplete(
            call -> {
              if (call.succeeded()) {
                runStep(() -> forwardHead(call.result(), then));
              } else {
                UpstreamLog.unreachable(head, call.cause());
                boolean busy = Upstream.isTooBusy(call.cause());
                problem(
                    busy ? 503 : 502,
                    busy ? ProblemType.OVERLOADED : ProblemType.UPSTREAM_UNREACHABLE);
              }
            });
  }

  private void forwardHead(HttpClientRequest call, Handler<HttpClientRequest> then) {
    if (outgoing.closed()) {
      endUpload();
      Upstream.cancel(call); // the client left meanwhile
      return;
    }
    try {
      Forwarding.request(incoming, head, call.headers());
    } catch (IllegalArgumentException e) {
      Upstream.cancel(call);
      problem(400, ProblemType.BAD_REQUEST);
      return;
    }
    then.handle(call);
  }

  // The request.

  /** Whether a body of this length is small, and there is room for it. */
  private static boolean makeRoom(HeldBody body, @Nullable String length) {
    if (length == null || length.length() > 5) {
      return false;
    }
    int known = Integer.parseInt(length);
    return known <= SMALL && body.makeRoom(known, known);
  }

  private void readSmall() {
    Timeout reading =
        buffering
            .bodyTimeouts()
            .start(
                () -> {
                  problem(408, ProblemType.BODY_TOO_SLOW);
                  UnreadBody.abort(incoming);
                });
    incoming
        .handler(small::add)
        .exceptionHandler(
            left -> {
              reading.cancel();
              small.free();
            })
        .endHandler(
            end -> {
              if (reading.cancel()) {
                request(call -> send(call, small));
              }
            });
  }

  private void send(HttpClientRequest call, HeldBody body) {
    Timeout timeout = upstream.startTimeout(call);
    (body.size() == 0 ? call.send() : call.send(body.buffer()))
        .onComplete(
            answer -> {
              body.free();
              if (answer.succeeded()) {
                runStep(() -> answer(answer.result(), timeout));
              } else {
                timeout.cancel();
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
    Timeout timeout = upstream.startTimeout(call);
    ClientLimits limits = buffering.limits();
    MinimumRate rate =
        new MinimumRate(
            buffering.bodyTimeouts(),
            limits.bodyTimeout().toSeconds() * ClientLimits.MIN_BYTES_PER_SECOND,
            () -> tooSlow(call));
    minimumRate = rate;
    rate.start();
    uploading = true;
    call.exceptionHandler(cut -> {}); // the response fails, too, and that is enough
    call.response()
        .onComplete(
            answer -> {
              if (answer.succeeded()) {
                timeout.restart();
                runStep(() -> answer(answer.result(), timeout));
              } else {
                timeout.cancel();
                failed(answer.cause());
              }
            });
    if (head.awaitsContinue()) {
      call.putHeader(HttpHeaders.EXPECT, "100-continue");
      rate.pause(); // nothing can come before it is told to
      call.continueHandler(
          go -> {
            rate.start();
            head.sayContinue();
          });
      call.sendHead();
    }
    incoming
        .exceptionHandler(
            left -> {
              endUpload();
              ConnectionAbort.abort(call.connection());
            })
        .endHandler(
            end -> {
              endUpload();
              timeout.restart();
              if (isStream) {
                timeout.disable();
              }
              if (uploading) {
                uploading = false;
                call.end();
              }
            });
    BodyPipe.start(incoming, call, timeout, rate);
  }

  // The answer.

  /** Sends an answer on; the wait is over with it. */
  void answer(HttpClientResponse answer, Timeout timeout) {
    if (outgoing.closed()) {
      endUpload();
      timeout.cancel();
      Upstream.discard(answer);
      return;
    }
    if (!hasBody(answer)) {
      timeout.cancel();
      head(answer);
      outgoing.end().onComplete(any -> answered(answer));
      return;
    }
    HeldBody body = buffering.newAnswerBody();
    if (makeRoom(body, answer.getHeader(HttpHeaders.CONTENT_LENGTH))) {
      new BufferedAnswer(body, SMALL, timeout, Vertx.currentContext(), buffering)
          .read(
              answer,
              () -> runStep(() -> whole(answer, body)),
              never -> {},
              failure -> {
                body.free();
                failed(failure);
              });
    } else {
      if (isEventStream(answer.getHeader(HttpHeaders.CONTENT_TYPE))) {
        isStream = true;
        if (!uploading) {
          timeout.disable();
        }
      }
      BodyPipe.pause(answer);
      head(answer);
      AnswerRelay.relayBody(
          answer, incoming, head, timeout, () -> answered(answer), this::endUpload);
    }
  }

  /** Such a stream is silent while nothing happens, and that is not a failure. */
  private static boolean isEventStream(@Nullable String type) {
    return type != null && type.toLowerCase(Locale.ROOT).startsWith("text/event-stream");
  }

  private void whole(HttpClientResponse answer, HeldBody body) {
    if (outgoing.closed()) {
      endUpload();
      body.free();
      return;
    }
    head(answer);
    BodySender.send(incoming, body.buffer(), upstream.timeouts())
        .onComplete(
            any -> {
              body.free();
              answered(answer);
            });
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
    AnswerRelay.closeIfLengthUnknown(incoming);
    if (!uploading) {
      return;
    }
    uploading = false;
    endUpload();
    ConnectionAbort.abort(answer.request().connection());
    if (head.awaitsContinue()) {
      UnreadBody.abort(incoming);
    } else {
      UnreadBody.discard(incoming, upstream.timeouts(), false);
    }
  }

  // Upgrades.

  /** No other upgrade passes: whatever is spoken after it, nobody here would read. */
  private boolean isWebSocket() {
    return incoming.version() == HttpVersion.HTTP_1_1
        && incoming.method().equals(HttpMethod.GET)
        && "websocket".equalsIgnoreCase(incoming.getHeader(HttpHeaders.UPGRADE))
        && head.isConnectionField("upgrade");
  }

  // Failures.

  /** The client's body is sent on, or is of no use any more. */
  private void endUpload() {
    small.free();
    if (minimumRate != null) {
      minimumRate.stop();
    }
    if (takesPart) {
      takesPart = false;
      buffering.uploads().release(ClientConnection.of(incoming));
    }
  }

  void failed(Throwable failure) {
    if (outgoing.ended()) {
      return; // such as a body that came too slowly, which was said already
    }
    if (!outgoing.closed()) {
      UpstreamLog.noAnswer(head, failure);
    }
    boolean late = Upstream.isTimeout(failure);
    problem(late ? 504 : 502, late ? ProblemType.UPSTREAM_TIMEOUT : ProblemType.UPSTREAM_FAILED);
  }

  /** A body that trickles must not keep a connection to the upstream. */
  private void tooSlow(HttpClientRequest call) {
    problem(408, ProblemType.BODY_TOO_SLOW);
    ConnectionAbort.abort(call.connection());
    UnreadBody.abort(incoming);
  }

  private void problem(int status, ProblemType type) {
    uploading = false;
    endUpload();
    if (outgoing.headWritten()) {
      ConnectionAbort.abort(incoming);
    } else {
      Problem problem =
          problems.withoutKey(
              policy, status, type, type.advice(), status == 503 ? RETRY_AFTER : null);
      ProblemLog.tell(problem, head);
      Replies.send(incoming, problems.reply(problem), head, policy, cors, upstream.timeouts());
    }
  }

  /** Runs a step; if it throws, whatever it is, this is the end. */
  private void runStep(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      OutOfMemory.exitIfCausedBy(e);
      UpstreamLog.failed(head, e);
      endUpload();
      if (!outgoing.ended()) {
        ConnectionAbort.abort(incoming);
      }
    }
  }
}
