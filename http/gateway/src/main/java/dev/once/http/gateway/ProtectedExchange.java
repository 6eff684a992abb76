package dev.once.http.gateway;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Body;
import dev.once.core.Execution;
import dev.once.core.Operation;
import dev.once.core.Policy.OnBusy;
import dev.once.core.spi.Delivery;
import dev.once.core.spi.Exchange;
import dev.once.http.gateway.IdleTimeouts.Timeout;
import dev.once.http.semantics.ProblemType;
import dev.once.http.semantics.ProtectedRequest;
import dev.once.http.semantics.Reply;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One request with a key:
 *
 * <ol>
 *   <li>Read its body, up to the limit, and for a limited time. A client that leaves before the end
 *       has asked for nothing.
 *   <li>Begin its operation. Replay or refuse, if the engine says so.
 *   <li>Send it upstream, with fence and attempt. From here on the client may leave: the operation
 *       goes on.
 *   <li>The upstream cannot be reached: nothing ran, so release the key.
 *   <li>The upstream is cut off, or silent for too long: nobody knows. Leave it to the crash
 *       policy.
 *   <li>Read the answer to its end, record it, and only then send it on. Half an answer is never
 *       recorded. What is too large to keep goes through {@link LargeAnswer}.
 * </ol>
 *
 * Runs on one event loop; the engine may answer on other threads, and is brought back. Whatever is
 * thrown on the way, the execution ends once, and the client is not left waiting.
 */
final class ProtectedExchange {

  private final GatewayState state;
  private final Cors cors;
  private final Upstream upstream;
  private final ProtectedRequest request;
  private final ServerHead head;
  private final HttpServerRequest incoming;
  private final HttpServerResponse outgoing;
  private final Context context;
  private final BodyBuffering buffering;

  /** For the client's body. */
  private final Timeout bodyTimeout;

  /** What the client sent; free when nobody needs it any more. */
  private final HeldBody body;

  /** What the upstream answered, if it is held; free when the client has it, or never will. */
  private @Nullable HeldBody answerBody;

  private boolean refused;

  /** From {@link GatewayState#executionStarted} to {@link GatewayState#executionEnded}. */
  private boolean counted;

  /** Whether the answer goes to the client as it comes: it cannot be taken back. */
  private boolean streams;

  /** What runs; null before. */
  private @Nullable Exchange running;

  ProtectedExchange(
      GatewayState state,
      Cors cors,
      Upstream upstream,
      ProtectedRequest request,
      ServerHead head,
      HttpServerRequest incoming,
      Context context,
      BodyBuffering buffering) {
    this.state = state;
    this.cors = cors;
    this.upstream = upstream;
    this.request = request;
    this.head = head;
    this.incoming = incoming;
    this.outgoing = incoming.response();
    this.context = context;
    this.buffering = buffering;
    this.body = buffering.newRequestBody();
    this.bodyTimeout = buffering.bodyTimeouts().start(this::tooSlow);
  }

  // The request.

  void start() {
    String length = incoming.getHeader(HttpHeaders.CONTENT_LENGTH);
    if (length != null && isOverLimit(length)) {
      refuse(request.tooLarge());
      return;
    }
    incoming
        .handler(this::read)
        .endHandler(end -> runStep(this::begin))
        .exceptionHandler(this::stopReading);
    // Room for the whole, before any of it is read: no two bodies wait for each other half-way.
    int known = length == null ? 0 : Integer.parseInt(length);
    withRoom(known, known, head::sayContinue);
  }

  private boolean isOverLimit(String length) {
    try {
      return Long.parseLong(length) > request.policy().maxRequestBody();
    } catch (NumberFormatException e) {
      return true; // more than a long holds; other nonsense the decoder refused
    }
  }

  private void read(Buffer chunk) {
    if (refused) {
      return;
    }
    int most = request.policy().maxRequestBody();
    if (body.size() + chunk.length() > most) {
      refuse(request.tooLarge());
    } else {
      withRoom(chunk.length(), most, () -> body.add(chunk));
    }
  }

  /** Goes on when there is room for more bytes; until then, nothing more is read. */
  private void withRoom(int more, int most, Runnable then) {
    if (body.makeRoom(more, most)) {
      then.run();
      return;
    }
    BodyPipe.pause(incoming);
    body.awaitRoom(
        more,
        most,
        context,
        buffering.memoryTimeouts(),
        () ->
            runStep(
                () -> {
                  then.run();
                  BodyPipe.resume(incoming);
                }),
        () -> runStep(() -> refuse(request.overloaded())));
  }

  private void tooSlow() {
    ProblemType type = ProblemType.BODY_TOO_SLOW;
    refuse(request.problem(408, type, type.advice()));
    UnreadBody.abort(incoming);
  }

  /** The rest of the body is of no use, and then neither is the connection. */
  private void refuse(Reply reply) {
    stopReading(null);
    if (incoming.version() != HttpVersion.HTTP_2) {
      outgoing.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
    send(reply);
  }

  private void stopReading(@Nullable Throwable failure) {
    bodyTimeout.cancel();
    refused = true;
    if (!counted) {
      body.free();
    }
  }

  // The engine.

  private void begin() {
    if (!bodyTimeout.cancel() || refused) {
      return;
    }
    if (state.isStopping()) {
      body.free();
      refuseWhileStopping();
      return;
    }
    counted = true;
    state.executionStarted();
    if (state.replayMemory().areAnswersSmall()) {
      askStore(() -> {});
      return;
    }
    boolean waits = request.policy().policy().onBusy() == OnBusy.WAIT;
    state
        .replayMemory()
        .reserve(
            waits,
            context,
            buffering.memoryTimeouts(),
            release -> runStep(() -> askStore(release)),
            () ->
                runStep(
                    () -> {
                      executionEnded();
                      send(request.overloaded());
                    }));
  }

  /**
   * @param release to be run when the room for a recorded answer is not needed
   */
  private void askStore(Runnable release) {
    Operation asked = null;
    CompletionStage<Begun> begun;
    try {
      asked = request.operation(body.bytes());
      begun = state.once().begin(asked);
    } catch (Throwable e) {
      OutOfMemory.exitIfCausedBy(e);
      begun = CompletableFuture.failedStage(e);
    }
    Operation operation = asked;
    onContext(
        begun,
        (answer, failure) -> {
          try {
            begun(operation, answer, failure);
          } finally {
            release.run();
          }
        });
  }

  private void begun(
      @Nullable Operation operation, @Nullable Begun answer, @Nullable Throwable failure) {
    if (answer == null && state.isStopping()) {
      executionEnded();
      refuseWhileStopping();
      return;
    }
    Begun begun =
        answer == null ? Exchange.notBegun(state.once().listener(), operation, failure) : answer;
    if (begun instanceof Begun.Proceed proceed) {
      running = new Exchange(proceed.execution(), () -> streams || outgoing.headWritten());
      // Not in the middle of reading from sockets: what this read would show of connections that
      // the upstream closed is known first, and none of them is taken.
      context.runOnContext(any -> runStep(this::proceed));
    } else if (begun instanceof Begun.Replay replay) {
      executionEnded();
      replay(replay.answer());
    } else if (begun instanceof Begun.Refuse refuse) {
      executionEnded();
      send(request.refuse(refuse.refusal()));
    }
  }

  private void replay(Answer answer) {
    Reply reply = request.replay(answer);
    HopRules.addToAnswer(outgoing.headers());
    int size = reply.body().size();
    state.replayMemory().noteSize(size);
    if (size > HeldBytes.SMALL && !buffering.budget().take(size, HeldBytes.Use.REQUEST)) {
      buffering.budget().refused();
      send(request.overloaded());
      return;
    }
    try {
      send(reply).onComplete(any -> sentReplay(size));
    } catch (IllegalArgumentException e) { // what another surface recorded may not be sent here
      sentReplay(size);
      outgoing.headers().clear();
      send(request.notReplayable());
    }
  }

  private void sentReplay(int size) {
    if (size > HeldBytes.SMALL) {
      buffering.budget().release(size);
    }
  }

  private void refuseWhileStopping() {
    send(
        request.problem(503, ProblemType.STOPPING, "Send it again: another instance will answer."));
  }

  // The upstream.

  private void proceed() {
    if (state.isStopping()) {
      release(ProblemType.STOPPING, 503);
      return;
    }
    upstream
        .request(incoming.method(), head.target(), true)
        .onComplete(
            call ->
                runStep(
                    () -> {
                      if (call.succeeded()) {
                        call(call.result());
                      } else {
                        notSent(call.cause());
                      }
                    }));
  }

  private void notSent(Throwable failure) {
    UpstreamLog.unreachable(head, failure);
    if (Upstream.isTooBusy(failure)) {
      release(() -> send(request.overloaded()));
    } else {
      release(ProblemType.UPSTREAM_UNREACHABLE, 502);
    }
  }

  private void call(HttpClientRequest call) {
    Execution execution = running().execution();
    try {
      Forwarding.request(incoming, head, call.headers());
      execution.fence().ifPresent(fence -> call.putHeader(Forwarding.FENCE, fence.toString()));
      call.putHeader(Forwarding.ATTEMPT, String.valueOf(execution.attempt()));
    } catch (IllegalArgumentException e) {
      Upstream.cancel(call);
      release(ProblemType.BAD_REQUEST, 400);
      return;
    }
    UpstreamCodec codec = UpstreamCodec.of(call.connection());
    Timeout upstreamTimeout = upstream.startTimeout(call);
    (body.size() == 0 ? call.send() : call.send(body.buffer()))
        .onComplete(
            answer -> {
              body.free();
              if (answer.succeeded()) {
                upstreamTimeout.restart();
                runStep(() -> answer(answer.result(), upstreamTimeout));
              } else {
                upstreamTimeout.cancel();
                runStep(() -> noAnswer(codec, answer.cause()));
              }
            });
  }

  private void noAnswer(@Nullable UpstreamCodec codec, Throwable failure) {
    if (codec != null && codec.hasRefused()) {
      notSent(failure);
    } else {
      outcomeUnknown(failure);
    }
  }

  private void answer(HttpClientResponse answer, Timeout upstreamTimeout) {
    HeldBody whole = buffering.newAnswerBody();
    answerBody = whole;
    new BufferedAnswer(
            whole, request.policy().policy().maxStoredBody(), upstreamTimeout, context, buffering)
        .read(
            answer,
            () -> runStep(() -> finish(answer, whole)),
            next -> runStep(() -> streamAnswer(answer, upstreamTimeout, whole, next)),
            failure -> runStep(() -> outcomeUnknown(failure)));
  }

  /** Too large to be kept, or there was no room for it: it is sent on as it comes. */
  private void streamAnswer(
      HttpClientResponse answer, Timeout upstreamTimeout, HeldBody start, Buffer next) {
    streams = true;
    new LargeAnswer(this, upstream, answer, incoming, upstreamTimeout, start).start(next);
  }

  private void finish(HttpClientResponse answer, HeldBody whole) {
    state.replayMemory().noteSize(whole.size());
    record(answer, new Body.Full(whole.bytes()), () -> forward(answer, whole));
  }

  /** Records an answer; then it is sent, if the client may have it. */
  void record(HttpClientResponse answer, Body kept, Runnable send) {
    onContext(
        running()
            .answered(
                () ->
                    request.answer(answer.statusCode(), Forwarding.fields(answer.headers()), kept)),
        (delivery, failure) -> {
          executionEnded();
          if (delivery instanceof Delivery.Send) {
            send.run();
            return;
          }
          freeAnswer();
          if (delivery instanceof Delivery.Instead instead) {
            send(request.refuse(instead.refusal()));
          } else {
            ConnectionAbort.abort(incoming);
          }
        });
  }

  private void forward(HttpClientResponse answer, HeldBody whole) {
    if (outgoing.ended() || outgoing.closed()) {
      whole.free();
      return;
    }
    head(answer, false);
    BodySender.send(incoming, whole.buffer(), upstream.timeouts()).onComplete(any -> whole.free());
  }

  private void freeAnswer() {
    if (answerBody != null) {
      answerBody.free();
    }
  }

  /** Status and headers of the upstream's answer. */
  void head(HttpClientResponse answer, boolean withLength) {
    outgoing.setStatusCode(answer.statusCode());
    Forwarding.response(answer.headers(), outgoing.headers(), withLength);
    cors.onAnswer(head, request.policy(), outgoing.headers());
  }

  /** A streamed answer was sent to its end. */
  void sent() {
    AnswerRelay.closeIfLengthUnknown(incoming);
  }

  // Ends without an answer that is recorded.

  /** Nothing ran: the key is free again. */
  private void release(ProblemType type, int status) {
    release(() -> send(request.problem(status, type, type.advice())));
  }

  private void release(Runnable then) {
    onContext(
        running().notRun(),
        (freed, failure) -> {
          executionEnded();
          then.run();
        });
  }

  /** Nobody knows whether it ran: the lease runs out, and then the crash policy decides. */
  void outcomeUnknown(Throwable failure) {
    freeAnswer();
    UpstreamLog.noAnswer(head, failure);
    Delivery delivery = running().outcomeUnknown(failure);
    executionEnded();
    if (delivery instanceof Delivery.Abort) {
      ConnectionAbort.abort(incoming);
      return;
    }
    boolean late = Upstream.isTimeout(failure);
    ProblemType type = late ? ProblemType.UPSTREAM_TIMEOUT : ProblemType.UPSTREAM_FAILED;
    send(request.problem(late ? 504 : 502, type, type.advice()));
  }

  /** Runs a step; if it throws, whatever it is, this is the end. */
  void runStep(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      OutOfMemory.exitIfCausedBy(e);
      UpstreamLog.failed(head, e);
      bodyTimeout.cancel();
      freeAnswer();
      if (running != null) {
        running.outcomeUnknown(e);
      }
      executionEnded();
      if (!outgoing.ended()) {
        ConnectionAbort.abort(incoming);
      }
    }
  }

  private Exchange running() {
    if (running == null) {
      throw new IllegalStateException("exchange: none (expected: one that runs)");
    }
    return running;
  }

  private void executionEnded() {
    body.free();
    if (counted) {
      counted = false;
      state.executionEnded();
    }
  }

  private Future<Void> send(Reply reply) {
    return Replies.send(incoming, reply, head, request.policy(), cors, upstream.timeouts());
  }

  private <T> void onContext(
      CompletionStage<T> stage, BiConsumer<@Nullable T, @Nullable Throwable> then) {
    stage.whenComplete(
        (value, failure) -> {
          if (Vertx.currentContext() == context) {
            runStep(() -> then.accept(value, failure));
          } else {
            context.runOnContext(any -> runStep(() -> then.accept(value, failure)));
          }
        });
  }
}
