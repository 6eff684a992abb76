package dev.once.http.gateway;

import dev.once.http.gateway.IdleTimeouts.Timeout;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;

/** Sends the body of an upstream's answer on as it comes, of any size. */
final class AnswerRelay {

  private AnswerRelay() {}

  /**
   * The head is set already. A body that is cut off upstream is cut off for the client, too; a
   * client that leaves ends the request upstream.
   *
   * @param timeout for the upstream's next move; over when this is
   * @param onSent is told when all of it was sent on
   * @param onAbort is told if it was not
   */
  static void relayBody(
      HttpClientResponse from,
      HttpServerRequest request,
      ServerHead head,
      Timeout timeout,
      Runnable onSent,
      Runnable onAbort) {
    HttpServerResponse to = request.response();
    if (!to.headers().contains(HttpHeaders.CONTENT_LENGTH)) {
      to.setChunked(true);
    }
    to.setWriteQueueMaxSize(BodyPipe.MAX_QUEUED_BYTES);
    to.exceptionHandler(left -> {});
    to.closeHandler(
        left -> {
          onAbort.run();
          if (timeout.cancel()) {
            ConnectionAbort.abort(from.request().connection());
          }
        });
    from.endHandler(
            end -> {
              if (timeout.cancel() && !to.closed()) {
                to.end().onComplete(any -> onSent.run());
              }
            })
        .exceptionHandler(
            failure -> {
              onAbort.run();
              if (timeout.cancel() || Upstream.isTimeout(failure)) {
                UpstreamLog.noAnswer(head, failure);
              }
              ConnectionAbort.abort(request);
            });
    BodyPipe.start(from, to, timeout);
    sendHeadEarly(request);
  }

  /**
   * Sends the head, if nothing of the body came along with it and took it with it: the first event
   * of a stream may be far away. To HTTP/1.0 it cannot go alone.
   */
  private static void sendHeadEarly(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    if (request.version() != HttpVersion.HTTP_1_0) {
      Vertx.currentContext()
          .runOnContext(
              any -> {
                if (!response.headWritten() && !response.closed()) {
                  response.writeHead();
                }
              });
    }
  }

  /** To HTTP/1.0, a body whose length was not said ends with the connection. */
  static void closeIfLengthUnknown(HttpServerRequest request) {
    if (request.version() == HttpVersion.HTTP_1_0
        && !request.response().headers().contains(HttpHeaders.CONTENT_LENGTH)) {
      request.connection().close();
    }
  }
}
