package dev.once.http.gateway;

import dev.once.http.gateway.Patience.Wait;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import io.vertx.core.streams.WriteStream;
import org.jspecify.annotations.Nullable;

/**
 * Moves a body from one side to the other as it comes, no faster than the other side takes it.
 *
 * <p>Not the pipe of Vert.x: that one ends the destination when the source is cut off, and half a
 * body would pass for a whole one.
 */
final class Pump {

  private Pump() {}

  /** Starts it. The end and the failure of the source are for its own handlers. */
  static void start(ReadStream<Buffer> from, WriteStream<Buffer> to, Wait wait) {
    start(from, to, wait, null);
  }

  /** The same, for a source that must come at a least rate. */
  static void start(
      ReadStream<Buffer> from, WriteStream<Buffer> to, Wait wait, @Nullable Pace pace) {
    from.handler(
        chunk -> {
          wait.moved();
          if (pace != null) {
            pace.came(chunk.length());
          }
          to.write(chunk);
          if (to.writeQueueFull()) {
            from.pause();
            if (pace != null) {
              pace.end();
            }
            to.drainHandler(
                room -> {
                  wait.moved();
                  if (pace != null) {
                    pace.start();
                  }
                  resume(from);
                });
          }
        });
    resume(from);
  }

  /** In HTTP/2, what has ended meanwhile cannot be resumed, and need not be. */
  static void resume(ReadStream<Buffer> stream) {
    try {
      stream.resume();
    } catch (IllegalStateException ended) {
      // Nothing will come from it any more.
    }
  }
}
