package dev.once.http.gateway;

import dev.once.http.gateway.IdleTimeouts.Timeout;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.NetSocket;

/** A WebSocket: after the handshake, bytes both ways, for as long as both sides like. */
final class Tunnel {

  private Tunnel() {}

  static void open(
      PassThrough exchange, Upstream upstream, HttpClientRequest call, HttpServerRequest incoming) {
    call.putHeader(HttpHeaders.CONNECTION, "Upgrade");
    call.putHeader(HttpHeaders.UPGRADE, "websocket");
    call.exceptionHandler(any -> {}); // the sockets end, too, and that is enough
    Timeout wait = upstream.startTimeout(call);
    call.connect()
        .onComplete(
            answer -> {
              if (answer.failed()) {
                wait.cancel();
                exchange.failed(answer.cause());
              } else if (answer.result().statusCode() == 101) {
                wait.cancel();
                join(answer.result(), incoming);
              } else {
                // Its request has no end, so that nobody could use the connection again.
                answer.result().end().onComplete(any -> call.connection().close());
                BodyPipe.resume(incoming);
                exchange.answer(answer.result(), wait);
              }
            });
  }

  private static void join(HttpClientResponse answer, HttpServerRequest incoming) {
    HttpServerResponse outgoing = incoming.response();
    outgoing.setStatusCode(101);
    Forwarding.response(answer.headers(), outgoing.headers(), false);
    outgoing.putHeader(HttpHeaders.CONNECTION, "Upgrade");
    outgoing.putHeader(HttpHeaders.UPGRADE, "websocket");
    NetSocket there = answer.netSocket();
    there.pause();
    Buffer early = EarlyBytes.take(incoming);
    incoming
        .toNetSocket()
        .onFailure(failure -> there.close())
        .onSuccess(
            here -> {
              if (early.length() > 0) {
                there.write(early);
              }
              move(here, incoming.connection(), there);
              move(there, answer.request().connection(), here);
            });
  }

  /**
   * Moves bytes no faster than they are taken. Not the pipe of Vert.x: that holds 64 KB, and up to
   * 256 KB more that were read meanwhile, for whoever reads nothing.
   */
  private static void move(NetSocket from, HttpConnection below, NetSocket to) {
    to.setWriteQueueMaxSize(BodyPipe.MAX_QUEUED_BYTES);
    from.handler(
        bytes -> {
          to.write(bytes);
          if (to.writeQueueFull()) {
            from.pause();
            BodyPipe.autoRead(below, false);
            to.drainHandler(
                room -> {
                  BodyPipe.autoRead(below, true);
                  from.resume();
                });
          }
        });
    from.exceptionHandler(failure -> to.close());
    from.endHandler(end -> to.end());
    from.resume();
  }
}
