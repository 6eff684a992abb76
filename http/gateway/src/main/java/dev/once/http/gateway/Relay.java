package dev.once.http.gateway;

import dev.once.http.gateway.Patience.Wait;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;

/** Sends the body of an upstream's answer on as it comes, of any size. */
final class Relay {

  private Relay() {}

  /**
   * The head is set already. A body that is cut off upstream is cut off for the client, too; a
   * client that leaves ends the request upstream.
   *
   * @param wait for the upstream's next move; over when this is
   * @param sent is told when all of it was sent on
   * @param cut is told if it was not
   */
  static void body(
      HttpClientResponse from,
      HttpServerRequest request,
      ServerHead head,
      Wait wait,
      Runnable sent,
      Runnable cut) {
    HttpServerResponse to = request.response();
    if (!to.headers().contains(HttpHeaders.CONTENT_LENGTH)) {
      to.setChunked(true);
    }
    to.setWriteQueueMaxSize(Pump.MOST_WRITTEN);
    to.exceptionHandler(left -> {});
    to.closeHandler(
        left -> {
          cut.run();
          if (wait.end()) {
            Cut.off(from.request().connection());
          }
        });
    from.endHandler(
            end -> {
              if (wait.end() && !to.closed()) {
                to.end().onComplete(any -> sent.run());
              }
            })
        .exceptionHandler(
            failure -> {
              cut.run();
              if (wait.end() || Upstream.isTimeout(failure)) {
                UpstreamLog.noAnswer(head, failure);
              }
              Cut.off(request);
            });
    Pump.start(from, to, wait);
    headSoon(request);
  }

  /**
   * Sends the head, if nothing of the body came along with it and took it with it: the first event
   * of a stream may be far away. To HTTP/1.0 it cannot go alone.
   */
  private static void headSoon(HttpServerRequest request) {
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
  static void closeIfEndless(HttpServerRequest request) {
    if (request.version() == HttpVersion.HTTP_1_0
        && !request.response().headers().contains(HttpHeaders.CONTENT_LENGTH)) {
      request.connection().close();
    }
  }
}
