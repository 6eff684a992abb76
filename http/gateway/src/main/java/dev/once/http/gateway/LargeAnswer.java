package dev.once.http.gateway;

import dev.once.http.gateway.IdleTimeouts.Timeout;
import dev.once.http.semantics.StreamedBody;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import org.jspecify.annotations.Nullable;

/**
 * An answer too large to keep. It streams to the client while its digest is made; the last piece is
 * held back until the digest is recorded, so that no client has a complete answer that is not
 * recorded. The rest is read even if the client leaves or does not read for too long.
 */
final class LargeAnswer {

  private final ProtectedExchange exchange;
  private final Upstream upstream;
  private final HttpClientResponse answer;
  private final HttpServerRequest incoming;
  private final HttpServerResponse outgoing;
  private final StreamedBody body = new StreamedBody();

  /** What was read before it was known to be too large. */
  private final HeldBody beginning;

  private Buffer held = Buffer.buffer();
  private boolean ended;

  /** For the upstream's next move; while the client is waited for, it is over. */
  private Timeout upstreamTimeout;

  /** For the client to take what was written; null if there is room. */
  private @Nullable Timeout clientTimeout;

  LargeAnswer(
      ProtectedExchange exchange,
      Upstream upstream,
      HttpClientResponse answer,
      HttpServerRequest incoming,
      Timeout upstreamTimeout,
      HeldBody beginning) {
    this.exchange = exchange;
    this.upstream = upstream;
    this.answer = answer;
    this.incoming = incoming;
    this.outgoing = incoming.response();
    this.upstreamTimeout = upstreamTimeout;
    this.beginning = beginning;
  }

  /** Starts with the piece that did not fit. */
  void start(Buffer next) {
    answer
        .handler(chunk -> exchange.runStep(() -> sendOn(chunk)))
        .endHandler(end -> exchange.runStep(this::end))
        .exceptionHandler(failure -> exchange.runStep(() -> fail(failure)));
    if (!outgoing.closed()) {
      exchange.head(answer, true);
      if (!outgoing.headers().contains(HttpHeaders.CONTENT_LENGTH)) {
        outgoing.setChunked(true);
      }
      outgoing.setWriteQueueMaxSize(BodyPipe.MAX_QUEUED_BYTES);
      outgoing.exceptionHandler(left -> {});
      outgoing.closeHandler(left -> resume());
    }
    sendBeginning();
    sendOn(next);
    if (clientTimeout == null) {
      BodyPipe.resume(answer);
    }
  }

  /** There is more to come, so it need not be held back. */
  private void sendBeginning() {
    body.add(beginning.buffer().getBytes());
    if (beginning.size() == 0 || outgoing.closed()) {
      beginning.free();
      return;
    }
    outgoing.write(beginning.buffer()).onComplete(any -> beginning.free());
    if (outgoing.writeQueueFull()) {
      awaitClient();
    }
  }

  private void sendOn(Buffer chunk) {
    upstreamTimeout.restart();
    body.add(chunk.getBytes());
    Buffer ready = held;
    held = chunk;
    if (ready.length() > 0 && !outgoing.closed()) {
      outgoing.write(ready);
      if (outgoing.writeQueueFull()) {
        awaitClient();
      }
    }
  }

  private void awaitClient() {
    if (clientTimeout != null) {
      return;
    }
    BodyPipe.pause(answer);
    upstreamTimeout.cancel();
    clientTimeout = upstream.timeouts().start(this::dropClient);
    outgoing.drainHandler(room -> resume());
  }

  private void dropClient() {
    ConnectionAbort.abort(incoming);
    resume();
  }

  private void resume() {
    if (clientTimeout != null && !ended) {
      clientTimeout.cancel();
      clientTimeout = null;
      upstreamTimeout = upstream.startTimeout(answer.request());
      BodyPipe.resume(answer);
    }
  }

  private void end() {
    if (ended) {
      return;
    }
    ended = true;
    upstreamTimeout.cancel();
    exchange.record(
        answer,
        body.end(),
        () -> {
          if (!outgoing.closed()) {
            outgoing.end(held).onComplete(any -> exchange.sent());
          }
        });
  }

  private void fail(Throwable failure) {
    if (!ended) {
      ended = true;
      upstreamTimeout.cancel();
      exchange.outcomeUnknown(failure);
    }
  }
}
