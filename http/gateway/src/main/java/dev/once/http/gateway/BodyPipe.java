package dev.once.http.gateway;

import dev.once.http.gateway.IdleTimeouts.Timeout;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.core.streams.ReadStream;
import io.vertx.core.streams.WriteStream;
import org.jspecify.annotations.Nullable;

/**
 * Copies a body from one side to the other, no faster than the receiver reads (back-pressure).
 *
 * <p>Not the pipe of Vert.x: that one ends the destination when the source is aborted, and half a
 * body would look complete.
 */
final class BodyPipe {

  /** How much of a streamed answer may be in memory if its client does not read. */
  static final int MAX_QUEUED_BYTES = 16 * 1024;

  private BodyPipe() {}

  /** Starts it. The end and the failure of the source are for its own handlers. */
  static void start(ReadStream<Buffer> from, WriteStream<Buffer> to, Timeout timeout) {
    start(from, to, timeout, null);
  }

  /** The same, for a source that must come at a least rate. */
  static void start(
      ReadStream<Buffer> from,
      WriteStream<Buffer> to,
      Timeout timeout,
      @Nullable MinimumRate minimumRate) {
    from.handler(
        chunk -> {
          timeout.restart();
          if (minimumRate != null) {
            minimumRate.received(chunk.length());
          }
          to.write(chunk);
          if (to.writeQueueFull()) {
            pause(from);
            if (minimumRate != null) {
              minimumRate.pause();
            }
            to.drainHandler(
                room -> {
                  timeout.restart();
                  if (minimumRate != null) {
                    minimumRate.start();
                  }
                  resume(from);
                });
          }
        });
    resume(from);
  }

  /**
   * Stops a body, and its connection with it. Vert.x alone would first read 16 more pieces, 128 KB,
   * and of many bodies that wait these fill the memory. Of HTTP/2 the connection is not this body's
   * alone, and windows limit what comes.
   */
  static void pause(ReadStream<Buffer> stream) {
    stream.pause();
    autoRead(stream, false);
  }

  /** In HTTP/2, what has ended meanwhile cannot be resumed, and need not be. */
  static void resume(ReadStream<Buffer> stream) {
    autoRead(stream, true); // first: what it has may stop it again
    try {
      stream.resume();
    } catch (IllegalStateException ended) {
      // Nothing will come from it any more.
    }
  }

  private static void autoRead(ReadStream<Buffer> stream, boolean on) {
    if (stream instanceof HttpServerRequest request && request.version() != HttpVersion.HTTP_2) {
      autoRead(request.connection(), on);
    } else if (stream instanceof HttpClientResponse response) {
      autoRead(response.request().connection(), on);
    }
  }

  /** Whether a connection reads by itself. */
  static void autoRead(HttpConnection connection, boolean on) {
    if (connection instanceof ConnectionBase known) {
      known.channel().config().setAutoRead(on);
    }
  }
}
