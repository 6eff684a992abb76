package dev.once.http.gateway;

import dev.once.core.Bytes;
import dev.once.core.Header;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.Reply;
import io.netty.buffer.Unpooled;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.buffer.BufferInternal;

/** Sends what the gateway says itself. */
final class Replies {

  private Replies() {}

  /**
   * Sends it, and drops what the client has not sent yet. Does nothing if there is an answer. The
   * future ends when nothing of it is held any more.
   */
  static Future<Void> send(
      HttpServerRequest request,
      Reply reply,
      ServerHead head,
      HttpPolicy policy,
      Cors cors,
      IdleTimeouts timeouts) {
    HttpServerResponse response = request.response();
    if (response.ended() || response.closed()) {
      return Future.succeededFuture();
    }
    response.setStatusCode(reply.status());
    for (Header header : reply.headers()) {
      response.headers().add(header.name(), header.value());
    }
    cors.onAnswer(head, policy, response.headers());
    boolean atOnce = announceClose(request, head);
    boolean closes = response.headers().contains(HttpHeaders.CONNECTION);
    Future<Void> sent = BodySender.send(request, buffer(reply.body()), timeouts);
    if (atOnce) {
      sent.onComplete(any -> request.connection().close());
    } else if (!request.isEnded()) {
      sent.onComplete(any -> UnreadBody.discard(request, timeouts, closes));
    }
    return sent;
  }

  /**
   * A client that holds its body back, and is not told to go on, may send it all the same, or the
   * next request instead: nobody could tell. So that connection closes.
   */
  static boolean announceClose(HttpServerRequest request, ServerHead head) {
    if (!head.awaitsContinue() || request.version() == HttpVersion.HTTP_2) {
      return false;
    }
    request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    return true;
  }

  /** A view of the bytes, which nobody writes to. */
  static Buffer buffer(Bytes bytes) {
    return BufferInternal.buffer(Unpooled.wrappedBuffer(bytes.asBuffer()));
  }
}
