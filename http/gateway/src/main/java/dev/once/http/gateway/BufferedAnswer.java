package dev.once.http.gateway;

import dev.once.http.gateway.IdleTimeouts.Timeout;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of an answer whole, up to a limit, and while the budget has room for it. Exactly
 * one of three ways is taken.
 */
final class BufferedAnswer {

  private static final Buffer NOTHING = Buffer.buffer();

  private final HeldBody body;
  private final int limit;
  private final Timeout timeout;
  private final Context context;
  private final BodyBuffering buffering;
  private boolean ended;

  /**
   * @param body what is filled
   * @param timeout for the upstream's next move; over with the last one
   */
  BufferedAnswer(
      HeldBody body, int limit, Timeout timeout, Context context, BodyBuffering buffering) {
    this.body = body;
    this.limit = limit;
    this.timeout = timeout;
    this.context = context;
    this.buffering = buffering;
  }

  /**
   * Starts to read.
   *
   * @param whole is told when the body is filled
   * @param tooLarge gets what did not fit; takes over the response, which may be paused, and what
   *     the body has so far
   * @param failed gets what cut it off
   */
  void read(
      HttpClientResponse response,
      Runnable whole,
      Consumer<Buffer> tooLarge,
      Consumer<Throwable> failed) {
    response
        .handler(chunk -> add(response, chunk, tooLarge))
        .endHandler(
            end -> {
              if (end()) {
                whole.run();
              }
            })
        .exceptionHandler(
            failure -> {
              if (end()) {
                failed.accept(failure);
              }
            });
    int known = knownLength(response.getHeader(HttpHeaders.CONTENT_LENGTH));
    if (known > limit) {
      ended = true;
      tooLarge.accept(NOTHING);
    } else if (known > 0) {
      withRoom(response, known, known, () -> {}, NOTHING, tooLarge);
    }
  }

  /** Null and what is beyond an int are not known to fit. */
  private int knownLength(@Nullable String length) {
    try {
      return length == null ? 0 : (int) Math.min(Integer.MAX_VALUE, Long.parseLong(length));
    } catch (NumberFormatException e) {
      return Integer.MAX_VALUE;
    }
  }

  private void add(HttpClientResponse response, Buffer chunk, Consumer<Buffer> tooLarge) {
    timeout.restart();
    if (ended) {
      return;
    }
    if (body.size() + chunk.length() > limit) {
      ended = true;
      tooLarge.accept(chunk);
    } else {
      withRoom(response, chunk.length(), limit, () -> body.add(chunk), chunk, tooLarge);
    }
  }

  private void withRoom(
      HttpClientResponse response,
      int more,
      int most,
      Runnable then,
      Buffer otherwise,
      Consumer<Buffer> tooLarge) {
    if (body.makeRoom(more, most)) {
      then.run();
      return;
    }
    BodyPipe.pause(response);
    body.awaitRoom(
        more,
        most,
        context,
        buffering.memoryTimeouts(),
        () -> {
          timeout.restart();
          then.run();
          BodyPipe.resume(response);
        },
        () -> {
          if (!ended) {
            timeout.restart();
            ended = true;
            tooLarge.accept(otherwise);
          }
        });
  }

  private boolean end() {
    boolean first = !ended;
    ended = true;
    if (first) {
      timeout.cancel();
    }
    return first;
  }
}
