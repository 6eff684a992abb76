package dev.once.benchmarks.soak;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import java.util.concurrent.TimeUnit;

/**
 * The service behind the gateway, down to the bytes, since some of its routes break the protocol.
 * {@code /pay} and {@code /item} are honest; an attacker has a hand in all others.
 */
final class Upstream {

  /** How much of a large answer comes at once, and how much in all. */
  private static final int LARGE = 1_000_000;

  private static final int LARGE_AT_ONCE = 950_000;
  private static final long SLOW_MILLIS = TimeUnit.SECONDS.toMillis(15);
  private static final Buffer LARGE_BODY = Buffer.buffer("large".repeat(LARGE / 5));

  private final Vertx vertx;
  private final Ledger ledger;
  private final NetServer server;

  Upstream(Vertx vertx, Ledger ledger) {
    this.vertx = vertx;
    this.ledger = ledger;
    server =
        vertx
            .createNetServer(new NetServerOptions().setAcceptBacklog(2048))
            .connectHandler(this::connected)
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .join();
  }

  int port() {
    return server.actualPort();
  }

  private void connected(NetSocket socket) {
    RawRequest.Parser parser = new RawRequest.Parser();
    socket.exceptionHandler(any -> {});
    socket.handler(
        bytes -> {
          parser.append(bytes);
          for (RawRequest next = parser.next(); next != null; next = parser.next()) {
            answer(socket, next);
          }
        });
  }

  private void answer(NetSocket socket, RawRequest request) {
    String path = request.target().split("\\?", 2)[0];
    if (path.startsWith("/pay")) {
      pay(socket, request);
    } else if (path.startsWith("/item/")) {
      send(socket, "200 OK", HonestClients.item(path.substring("/item/".length())));
    } else if (path.equals("/slow-answer")) {
      slowAnswer(socket);
    } else if (path.equals("/wait")) {
      vertx.setTimer(SLOW_MILLIS, any -> send(socket, "201 Created", "waited"));
    } else if (path.startsWith("/large")) {
      socket.write(head("200 OK", LARGE_AT_ONCE));
      socket.write(LARGE_BODY.slice(0, LARGE_AT_ONCE));
    } else if (path.equals("/ws")) {
      socket.write(
          String.join(
              "\r\n",
              "HTTP/1.1 101 Switching Protocols",
              "Upgrade: websocket",
              "Connection: Upgrade",
              "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
              "",
              ""));
    } else if (path.startsWith("/hostile/")) {
      hostile(socket, Integer.parseInt(path.substring("/hostile/".length())));
    } else if (path.startsWith("/smuggled")) {
      ledger.smuggled();
      send(socket, "200 OK", "smuggled");
    } else {
      send(socket, "200 OK", "other " + request.bodyBytes());
    }
  }

  /** The effect happens before the answer, and some take a while: duplicates meet it. */
  private void pay(NetSocket socket, RawRequest request) {
    String key = request.field("idempotency-key");
    String answer = HonestClients.answer(key, request.field("authorization"), ledger.ran(key));
    long pause = 1L + Math.floorMod(key.hashCode(), 40);
    vertx.setTimer(pause, any -> send(socket, "201 Created", answer));
  }

  private void slowAnswer(NetSocket socket) {
    socket.write(head("200 OK", LARGE));
    socket.write(LARGE_BODY.slice(0, LARGE_AT_ONCE));
    dribble(socket, LARGE_AT_ONCE, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SLOW_MILLIS));
  }

  private void dribble(NetSocket socket, int sent, long end) {
    boolean last = System.nanoTime() - end > 0;
    int next = last ? LARGE : sent + 500;
    socket.write(LARGE_BODY.slice(sent, next));
    if (!last) {
      vertx.setTimer(1_000, any -> dribble(socket, next, end));
    }
  }

  private void hostile(NetSocket socket, int which) {
    HostileAnswers answer = HostileAnswers.ALL.get(which % HostileAnswers.ALL.size());
    ledger.poisoned();
    var written = socket.write(answer.bytes);
    if (answer.closes) {
      written.onComplete(any -> socket.close());
    }
  }

  private static void send(NetSocket socket, String status, String body) {
    socket.write(head(status, body.length()) + body);
  }

  private static String head(String status, int length) {
    return "HTTP/1.1 "
        + status
        + "\r\nContent-Type: text/plain\r\nContent-Length: "
        + length
        + "\r\n\r\n";
  }
}
