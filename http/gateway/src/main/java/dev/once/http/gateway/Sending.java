package dev.once.http.gateway;

import dev.once.http.gateway.Patience.Wait;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;

/**
 * Sends a body that is held, for as long as its client takes it: a client that takes too little for
 * too long is cut off, so that what is held for it comes free. Large bodies go piece by piece,
 * because only the end of a write says that something was taken.
 */
final class Sending {

  private static final int PIECE = 64 * 1024;
  private static final int RESET_CONTENT = 205;

  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final Buffer body;
  private final Promise<Void> sent = Promise.promise();
  private final Wait wait;
  private int at;

  private Sending(HttpServerRequest request, Buffer body, Patience patience) {
    this.request = request;
    this.response = request.response();
    this.body = body;
    this.wait = patience.start(this::stalled);
  }

  /**
   * Ends an answer, whose head is set, with this body. The future ends when nothing of it is held
   * any more, for whatever reason.
   */
  static Future<Void> end(HttpServerRequest request, Buffer held, Patience patience) {
    // HTTP/2 would send a body that must not be there, and clients refuse the whole answer.
    Buffer body = request.response().getStatusCode() == RESET_CONTENT ? Buffer.buffer() : held;
    if (body.length() <= HeldBytes.SMALL && request.version() != HttpVersion.HTTP_2) {
      return end(request.response(), body); // whoever takes nothing is seen by ClientConnection
    }
    Sending sending = new Sending(request, body, patience);
    if (body.length() <= PIECE || request.method().equals(HttpMethod.HEAD)) {
      sending.last(body);
    } else {
      request
          .response()
          .putHeader(HttpHeaders.CONTENT_LENGTH, String.valueOf(body.length()))
          .exceptionHandler(left -> sending.over())
          .closeHandler(left -> sending.over());
      sending.next();
    }
    return sending.sent.future();
  }

  private static Future<Void> end(HttpServerResponse response, Buffer body) {
    return body.length() == 0 ? response.end() : response.end(body);
  }

  private void next() {
    if (response.closed()) {
      over();
      return;
    }
    wait.moved();
    int to = Math.min(body.length(), at + PIECE);
    Buffer piece = body.slice(at, to);
    at = to;
    if (at == body.length()) {
      last(piece);
    } else {
      response.write(piece).onSuccess(any -> next()).onFailure(any -> over());
    }
  }

  private void last(Buffer piece) {
    end(response, piece).onComplete(any -> over());
  }

  private void over() {
    wait.end();
    sent.tryComplete();
  }

  private void stalled() {
    Cut.off(request);
    over();
  }
}
