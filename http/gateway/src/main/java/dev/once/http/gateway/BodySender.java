package dev.once.http.gateway;

import dev.once.http.gateway.IdleTimeouts.Timeout;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;

/**
 * Sends a buffered body. A client that reads too little for too long is disconnected, so that the
 * memory is free again. Large bodies are sent in pieces, because only the end of a write shows that
 * the client has read something.
 */
final class BodySender {

  private static final int PIECE = 64 * 1024;
  private static final int RESET_CONTENT = 205;

  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final Buffer body;
  private final Promise<Void> sent = Promise.promise();
  private final Timeout timeout;
  private int position;

  private BodySender(HttpServerRequest request, Buffer body, IdleTimeouts timeouts) {
    this.request = request;
    this.response = request.response();
    this.body = body;
    this.timeout = timeouts.start(this::timedOut);
  }

  /**
   * Ends an answer, whose head is set, with this body. The future ends when nothing of it is held
   * any more, for whatever reason.
   */
  static Future<Void> send(HttpServerRequest request, Buffer held, IdleTimeouts timeouts) {
    // HTTP/2 would send a body that must not be there, and clients refuse the whole answer.
    Buffer body = request.response().getStatusCode() == RESET_CONTENT ? Buffer.buffer() : held;
    if (body.length() <= HeldBytes.SMALL && request.version() != HttpVersion.HTTP_2) {
      return endResponse(
          request.response(), body); // whoever takes nothing is seen by ClientConnection
    }
    BodySender sender = new BodySender(request, body, timeouts);
    if (body.length() <= PIECE || request.method().equals(HttpMethod.HEAD)) {
      sender.sendLast(body);
    } else {
      request
          .response()
          .putHeader(HttpHeaders.CONTENT_LENGTH, String.valueOf(body.length()))
          .exceptionHandler(left -> sender.finish())
          .closeHandler(left -> sender.finish());
      sender.sendNext();
    }
    return sender.sent.future();
  }

  private static Future<Void> endResponse(HttpServerResponse response, Buffer body) {
    return body.length() == 0 ? response.end() : response.end(body);
  }

  private void sendNext() {
    if (response.closed()) {
      finish();
      return;
    }
    timeout.restart();
    int to = Math.min(body.length(), position + PIECE);
    Buffer piece = body.slice(position, to);
    position = to;
    if (position == body.length()) {
      sendLast(piece);
    } else {
      response.write(piece).onSuccess(any -> sendNext()).onFailure(any -> finish());
    }
  }

  private void sendLast(Buffer piece) {
    endResponse(response, piece).onComplete(any -> finish());
  }

  private void finish() {
    timeout.cancel();
    sent.tryComplete();
  }

  private void timedOut() {
    ConnectionAbort.abort(request);
    finish();
  }
}
