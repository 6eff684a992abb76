package dev.once.benchmarks.soak;

import static dev.once.benchmarks.soak.AttackedKeys.BODY;

import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Attacks over HTTP/1.1. */
final class Http1Attacks {

  static final String AUTHORIZATION = "Bearer attacker";

  private static final String CALLER =
      "Host: gateway\r\nAuthorization: " + AUTHORIZATION + "\r\nContent-Type: text/plain\r\n";
  private static final int BODY_BYTES = 1_000_000;
  private static final int BODY_AT_ONCE = 950_000;
  private static final Buffer MEGABYTE = Buffer.buffer("body-".repeat(BODY_BYTES / 5));
  private static final int WAITER_BYTES = 500_000;

  /** None has a length that is sure: where the next request begins is a guess. */
  private static final List<String> SMUGGLING =
      List.of(
          "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
          "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n5c\r\n",
          "Transfer-Encoding: xchunked\r\nContent-Length: 0\r\n\r\n",
          "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
          "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
          "Transfer-Encoding: identity\r\nContent-Length: 0\r\n\r\n",
          "Content-Length: 0\r\nContent-Length: 44\r\n\r\n",
          "Content-Length: +0\r\n\r\n",
          "Content-Length: 0x0\r\n\r\n",
          "Content-Length: 0, 44\r\n\r\n",
          "X: a\r\n Transfer-Encoding: chunked\r\nContent-Length: -1\r\n\r\n",
          "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
          "Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n");

  private static final String HIDDEN = "GET /smuggled HTTP/1.1\r\nHost: gateway\r\n\r\n";

  /** Ways to say {@code POST /required/1}, or something that a careless server takes for it. */
  private static final List<String> SPELLINGS =
      List.of(
          "post /required/1",
          "POST /required%2F1",
          "POST /a/../required/1",
          "POST /a/%2e%2e/required/1",
          "POST //required//1",
          "POST /./required/1",
          "POST /%72equired/1",
          "POST /REQUIRED/1",
          "POST /required;a=b/1",
          "POST /required/1/../../../../etc/passwd",
          "POST /required%00/1",
          "POST /required\\1",
          "POST http://gateway/required/1");

  private Http1Attacks() {}

  static List<Attack> all(AttackedKeys keys) {
    return List.of(
        new Attack("keyed bodies of 1 MB, dribbled", 120, 20, Http1Attacks::body),
        new Attack("slow answers of 1 MB", 200, 25, connection -> slowAnswer(connection, keys)),
        new Attack("waiting duplicates of 500 KB", 200, 25, Http1Attacks::waiter),
        new Attack("replays of 1 MB that nobody reads", 50, 20, Http1Attacks::unreadReplay),
        new Attack("answers of 1 MB that nobody reads", 50, 20, Http1Attacks::unreadAnswer),
        new Attack("heads, a byte a second", 100, 60, Http1Attacks::slowHead),
        new Attack("idle connections", 200, 60, Http1Attacks::idle),
        new Attack("hostile upstream answers", 40, 10, connection -> hostile(connection, keys)),
        new Attack("smuggling", 20, 5, Http1Attacks::smuggling),
        new Attack("spellings of a path", 20, 5, Http1Attacks::spelling),
        new Attack("huge targets and heads", 20, 5, Http1Attacks::huge),
        new Attack("half-open WebSockets", 40, 20, Http1Attacks::webSocket),
        new Attack("slow uploads without a key", 40, 20, Http1Attacks::slowUpload),
        new Attack("keys without a caller", 10, 5, Http1Attacks::nobody));
  }

  private static String post(String path, String key, int length) {
    return "POST %s HTTP/1.1\r\n%sIdempotency-Key: %s\r\nContent-Length: %d\r\n\r\n"
        .formatted(path, CALLER, key, length);
  }

  private static String newKey() {
    return UUID.randomUUID().toString();
  }

  /** Half of them end; the others are left in the middle. */
  private static void body(Connection connection) {
    connection.untilAnswer().send(post("/other", newKey(), BODY_BYTES));
    connection.more(MEGABYTE.slice(0, BODY_AT_ONCE));
    connection.each(
        1_000,
        seconds -> {
          if (seconds == 12 && connection.number % 2 == 0) {
            connection.more(MEGABYTE.slice(BODY_AT_ONCE + seconds, BODY_BYTES));
          } else if (seconds < 12) {
            connection.more(MEGABYTE.slice(BODY_AT_ONCE + seconds, BODY_AT_ONCE + seconds + 1));
          }
        });
  }

  private static void slowAnswer(Connection connection, AttackedKeys keys) {
    String key = newKey();
    if (connection.number % 5 == 0) {
      keys.used("/slow-answer", key);
    }
    connection.untilAnswer().send(post("/slow-answer", key, BODY.length()) + BODY);
  }

  /** All of the same quarter of a minute have one key. */
  private static void waiter(Connection connection) {
    long quarter = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime()) / 15;
    connection.untilAnswer().send(post("/wait", "wait-" + quarter, WAITER_BYTES));
    connection.more(MEGABYTE.slice(0, WAITER_BYTES));
  }

  private static void unreadReplay(Connection connection) {
    connection.deaf();
    String request = post("/large", "large-" + connection.number / 100, BODY.length()) + BODY;
    connection.each(
        500,
        times -> {
          if (times < 10) {
            connection.send(request);
          }
        });
  }

  private static void unreadAnswer(Connection connection) {
    connection.deaf().send("GET /large HTTP/1.1\r\n" + CALLER + "\r\n");
  }

  private static void slowHead(Connection connection) {
    String head = post("/other", newKey(), 0);
    connection.each(
        1_000,
        second ->
            connection.more(Buffer.buffer(second < 40 ? head.substring(second, second + 1) : "x")));
  }

  private static void idle(Connection connection) {
    if (connection.number % 2 == 0) {
      connection.send("GET /other HTTP/1.1\r\n" + CALLER + "\r\n");
    }
  }

  private static void hostile(Connection connection, AttackedKeys keys) {
    String path = "/hostile/" + connection.number / 3 % HostileAnswers.ALL.size();
    connection.untilAnswer();
    switch (connection.number % 3) {
      case 0 -> {
        String key = newKey();
        keys.used(path, key);
        connection.send(post(path, key, BODY.length()) + BODY);
      }
      case 1 -> connection.send("GET " + path + " HTTP/1.1\r\n" + CALLER + "\r\n");
      default -> connection.send("HEAD " + path + " HTTP/1.1\r\n" + CALLER + "\r\n");
    }
  }

  private static void smuggling(Connection connection) {
    String shape = SMUGGLING.get(connection.number % SMUGGLING.size());
    connection.send("POST /other HTTP/1.1\r\n" + CALLER + shape + HIDDEN);
  }

  private static void spelling(Connection connection) {
    String line = SPELLINGS.get(connection.number % SPELLINGS.size());
    connection.untilAnswer().send(line + " HTTP/1.1\r\n" + CALLER + "Content-Length: 0\r\n\r\n");
  }

  private static void huge(Connection connection) {
    int bytes = List.of(7_000, 9_000, 31_000, 40_000, 1_000_000).get(connection.number % 5);
    String part = "a".repeat(bytes);
    connection
        .untilAnswer()
        .send(
            connection.number % 2 == 0
                ? "GET /" + part + " HTTP/1.1\r\n" + CALLER + "\r\n"
                : "GET / HTTP/1.1\r\nX-A: " + part + "\r\n" + CALLER + "\r\n");
  }

  private static void webSocket(Connection connection) {
    connection.send(
        "GET /ws HTTP/1.1\r\n"
            + CALLER
            + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    if (connection.number % 2 == 0) {
      connection.more(Buffer.buffer(new byte[] {(byte) 0x81, (byte) 0xff, 0, 0}));
    }
  }

  private static void slowUpload(Connection connection) {
    connection.send("POST /other HTTP/1.1\r\n" + CALLER + "Transfer-Encoding: chunked\r\n\r\n");
    connection.each(1_000, any -> connection.more(Buffer.buffer("5\r\nhello\r\n")));
  }

  private static void nobody(Connection connection) {
    connection
        .untilAnswer()
        .send(
            "POST /other HTTP/1.1\r\nHost: gateway\r\nIdempotency-Key: %s\r\nContent-Length: 0\r\n\r\n"
                .formatted(newKey()));
  }
}
