package dev.once.http.gateway;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import org.jspecify.annotations.Nullable;

/**
 * What a client sends after it asked for a WebSocket, and before it is granted. Until then nobody
 * knows whether these bytes are for the WebSocket, or the next request.
 */
final class EarlyBytes {

  private EarlyBytes() {}

  /** From now on, they are kept as they come. */
  static void hold(HttpServerRequest request) {
    StrictHttp1.StrictDecoder decoder = decoder(request);
    if (decoder != null) {
      decoder.hold();
    }
  }

  /** Those that came, for the WebSocket. */
  static Buffer take(HttpServerRequest request) {
    StrictHttp1.StrictDecoder decoder = decoder(request);
    return decoder == null ? Buffer.buffer() : Buffer.buffer(decoder.takeHeld());
  }

  /** It was not granted: they are the next request. */
  static void resume(HttpServerRequest request) {
    StrictHttp1.StrictDecoder decoder = decoder(request);
    if (decoder != null) {
      decoder.resume();
    }
  }

  private static StrictHttp1.@Nullable StrictDecoder decoder(HttpServerRequest request) {
    return request.connection() instanceof ConnectionBase connection
        ? connection.channel().pipeline().get(StrictHttp1.StrictDecoder.class)
        : null;
  }
}
