package dev.once.http.gateway;

import dev.once.http.gateway.Patience.Wait;
import dev.once.http.semantics.PassingBody;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import org.jspecify.annotations.Nullable;

/**
 * An answer too large to keep. It streams to the client while its digest is made; the last piece is
 * held back until the digest is recorded, so that no client has a whole answer that is not. If the
 * client leaves, or takes nothing for too long, the rest is read all the same.
 */
final class LargeAnswer {

  private final ProtectedExchange exchange;
  private final Upstream upstream;
  private final HttpClientResponse answer;
  private final HttpServerRequest incoming;
  private final HttpServerResponse outgoing;
  private final PassingBody body = new PassingBody();

  /** What was read before it was known to be too large. */
  private final HeldBody beginning;

  private Buffer held = Buffer.buffer();
  private boolean over;

  /** For the upstream's next move; while the client is waited for, it is over. */
  private Wait silence;

  /** For the client to take what was written; null if there is room. */
  private @Nullable Wait stall;

  LargeAnswer(
      ProtectedExchange exchange,
      Upstream upstream,
      HttpClientResponse answer,
      HttpServerRequest incoming,
      Wait silence,
      HeldBody beginning) {
    this.exchange = exchange;
    this.upstream = upstream;
    this.answer = answer;
    this.incoming = incoming;
    this.outgoing = incoming.response();
    this.silence = silence;
    this.beginning = beginning;
  }

  /** Starts with the piece that did not fit. */
  void start(Buffer next) {
    answer
        .handler(chunk -> exchange.step(() -> pass(chunk)))
        .endHandler(end -> exchange.step(this::end))
        .exceptionHandler(failure -> exchange.step(() -> fail(failure)));
    if (!outgoing.closed()) {
      exchange.head(answer, true);
      if (!outgoing.headers().contains(HttpHeaders.CONTENT_LENGTH)) {
        outgoing.setChunked(true);
      }
      outgoing.setWriteQueueMaxSize(Pump.MOST_WRITTEN);
      outgoing.exceptionHandler(left -> {});
      outgoing.closeHandler(left -> goOn());
    }
    passBeginning();
    pass(next);
    if (stall == null) {
      Pump.resume(answer);
    }
  }

  /** There is more to come, so it need not be held back. */
  private void passBeginning() {
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

  private void pass(Buffer chunk) {
    silence.moved();
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
    if (stall != null) {
      return;
    }
    Pump.pause(answer);
    silence.end();
    stall = upstream.patience().start(this::dropClient);
    outgoing.drainHandler(room -> goOn());
  }

  private void dropClient() {
    Cut.off(incoming);
    goOn();
  }

  private void goOn() {
    if (stall != null && !over) {
      stall.end();
      stall = null;
      silence = upstream.watch(answer.request());
      Pump.resume(answer);
    }
  }

  private void end() {
    if (over) {
      return;
    }
    over = true;
    silence.end();
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
    if (!over) {
      over = true;
      silence.end();
      exchange.unknown(failure);
    }
  }
}
