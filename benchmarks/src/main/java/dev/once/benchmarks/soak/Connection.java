package dev.once.benchmarks.soak;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;

/** A connection of an attacker: what it sends, and what becomes of it. */
final class Connection {

  private static final int FIRST_WINDOW = 65_535;

  /** How many there were before, in this attack. */
  final int number;

  private final Vertx vertx;
  private final NetSocket socket;
  private final Attack attack;
  private Buffer unread = Buffer.buffer();
  private String outcome = "";
  private boolean over;
  private boolean http2;
  private boolean endsWithAnswer;
  private final Map<Integer, Integer> windows = new HashMap<>();
  private int stream = -1;

  Connection(Vertx vertx, NetSocket socket, Attack attack, int number) {
    this.vertx = vertx;
    this.socket = socket;
    this.attack = attack;
    this.number = number;
    socket.exceptionHandler(any -> end("reset"));
    socket.closeHandler(any -> end("closed"));
    socket.handler(this::read);
  }

  /** The first frames of HTTP/2; what comes is read as frames from now on. */
  Connection http2(int window) {
    http2 = true;
    windows.put(0, FIRST_WINDOW);
    socket.write(Frames.preface(window));
    return this;
  }

  /** Reads nothing more: the peer's answers pile up. */
  Connection deaf() {
    socket.pause();
    return this;
  }

  /** Ends as soon as there is an answer, and another takes its place. */
  Connection untilAnswer() {
    endsWithAnswer = true;
    return this;
  }

  Connection send(String request) {
    return send(Buffer.buffer(request));
  }

  Connection send(Buffer request) {
    attack.sent(1);
    return more(request);
  }

  /** More of the same request. */
  Connection more(Buffer bytes) {
    if (!over) {
      socket.write(bytes);
    }
    return this;
  }

  /** Does something again and again, with the number of times that it was done before. */
  Connection each(int millis, IntConsumer action) {
    int[] times = {0};
    vertx.setPeriodic(
        millis,
        timer -> {
          if (over) {
            vertx.cancelTimer(timer);
          } else if (!socket.writeQueueFull()) {
            action.accept(times[0]++);
          }
        });
    return this;
  }

  int nextStream() {
    stream += 2;
    return stream;
  }

  /** How much may be sent on a stream of HTTP/2; what is sent must be told to {@link #spend}. */
  int window(int of) {
    return Math.min(windows.getOrDefault(0, FIRST_WINDOW), windows.getOrDefault(of, FIRST_WINDOW));
  }

  void spend(int of, int bytes) {
    windows.merge(0, -bytes, Integer::sum);
    windows.put(of, windows.getOrDefault(of, FIRST_WINDOW) - bytes);
  }

  private void read(Buffer bytes) {
    unread.appendBuffer(bytes);
    if (http2) {
      frames();
    } else if (outcome.isEmpty() && unread.length() >= 12) {
      outcome = unread.getString(9, 12);
      unread = Buffer.buffer();
      if (endsWithAnswer) {
        close();
      }
    } else if (!outcome.isEmpty()) {
      unread = Buffer.buffer();
    }
  }

  private void frames() {
    int at = 0;
    while (unread.length() - at >= 9) {
      int length = unread.getUnsignedMedium(at);
      if (unread.length() - at < 9 + length) {
        break;
      }
      frame(unread.getByte(at + 3), unread.getInt(at + 5), at + 9);
      at += 9 + length;
    }
    unread = unread.getBuffer(at, unread.length());
  }

  private void frame(int type, int of, int payload) {
    switch (type) {
      case Frames.GO_AWAY -> outcome = "GOAWAY " + unread.getInt(payload + 4);
      case Frames.RST_STREAM -> outcome = "RST_STREAM " + unread.getInt(payload);
      case Frames.HEADERS -> outcome = outcome.isEmpty() ? "answers" : outcome;
      case Frames.WINDOW_UPDATE ->
          windows.put(of, windows.getOrDefault(of, FIRST_WINDOW) + unread.getInt(payload));
      default -> {
        // not asked for
      }
    }
  }

  void endAfter(int seconds) {
    vertx.setTimer(
        seconds * 1_000L,
        any -> {
          end("held to the end");
          socket.close();
        });
  }

  /** It has what it wanted. */
  private void close() {
    end("");
    socket.close();
  }

  /** The attack is over. */
  void stop() {
    end("open at the end");
    socket.close();
  }

  private void end(String how) {
    if (!over) {
      over = true;
      boolean answered = !outcome.isEmpty();
      attack.ended(this, answered && http2 ? outcome + ", " + how : answered ? outcome : how);
    }
  }
}
