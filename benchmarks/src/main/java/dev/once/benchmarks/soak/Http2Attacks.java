package dev.once.benchmarks.soak;

import static dev.once.benchmarks.soak.AttackedKeys.BODY;

import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Attacks over HTTP/2, by raw frames. */
final class Http2Attacks {

  private static final int WINDOW = 65_535;
  private static final Buffer PIECE = Buffer.buffer("piece---".repeat(Frames.LONGEST / 8));
  private static final Buffer PINGS = repeated(Frames.ping(), 500);
  private static final Buffer SETTINGS = repeated(Frames.settings(), 500);

  private Http2Attacks() {}

  static List<Attack> all() {
    return List.of(
        new Attack("h2 PING flood", 4, 10, connection -> flood(connection, PINGS)),
        new Attack("h2 SETTINGS flood", 4, 10, connection -> flood(connection, SETTINGS)),
        new Attack("h2 rapid reset", 4, 10, Http2Attacks::rapidReset),
        new Attack("h2 1,000 streams", 4, 20, Http2Attacks::thousandStreams),
        new Attack("h2 bodies on 200 streams", 4, 20, Http2Attacks::bodies),
        new Attack("h2 answers that nobody takes", 4, 20, Http2Attacks::neverRead),
        new Attack("h2 large heads", 4, 10, Http2Attacks::largeHead),
        new Attack("h2 CONTINUATION flood", 4, 10, Http2Attacks::continuations),
        new Attack("h2 idle", 20, 60, connection -> connection.http2(WINDOW)));
  }

  private static Buffer repeated(Buffer frame, int times) {
    Buffer all = Buffer.buffer();
    for (int i = 0; i < times; i++) {
      all.appendBuffer(frame);
    }
    return all;
  }

  /** Half of them do not read what is answered. */
  private static void flood(Connection connection, Buffer frames) {
    connection.http2(WINDOW);
    if (connection.number % 2 == 0) {
      connection.deaf();
    }
    connection.each(100, any -> connection.send(frames));
  }

  private static void rapidReset(Connection connection) {
    connection.http2(WINDOW);
    connection.each(
        100,
        any -> {
          Buffer frames = Buffer.buffer();
          for (int i = 0; i < 50; i++) {
            int stream = connection.nextStream();
            frames.appendBuffer(Frames.headers(stream, true, Frames.head("GET", "/item/1", "")));
            frames.appendBuffer(Frames.reset(stream));
          }
          connection.send(frames);
        });
  }

  /** Each with a key and a piece of a body that never ends. */
  private static void thousandStreams(Connection connection) {
    connection.http2(WINDOW);
    connection.each(
        100,
        times -> {
          Buffer frames = Buffer.buffer();
          for (int i = 0; i < 50 && times < 20; i++) {
            int stream = connection.nextStream();
            frames.appendBuffer(Frames.headers(stream, false, keyed("/other")));
            if (connection.window(stream) > BODY.length()) {
              connection.spend(stream, BODY.length());
              frames.appendBuffer(Frames.data(stream, Buffer.buffer(BODY)));
            }
          }
          connection.send(frames);
        });
  }

  /** As much of each body as the gateway lets in; none of them ends. */
  private static void bodies(Connection connection) {
    connection.http2(WINDOW);
    List<Integer> streams = new ArrayList<>();
    connection.each(
        50,
        times -> {
          if (streams.size() < 200) {
            int stream = connection.nextStream();
            streams.add(stream);
            connection.send(Frames.headers(stream, false, keyed("/other")));
          }
          for (int stream : streams) {
            if (connection.window(stream) >= PIECE.length()) {
              connection.spend(stream, PIECE.length());
              connection.more(Frames.data(stream, PIECE));
            }
          }
        });
  }

  /** A window of nothing, and large answers: some of them replays. */
  private static void neverRead(Connection connection) {
    connection.http2(0);
    connection.each(
        100,
        times -> {
          if (times < 50) {
            connection.send(
                Frames.headers(connection.nextStream(), true, Frames.head("GET", "/large", "")));
            connection.send(
                Frames.headers(
                    connection.nextStream(), true, Frames.head("POST", "/large", "h2-large")));
          }
        });
  }

  /** 200 KB of fields in whole frames. */
  private static void largeHead(Connection connection) {
    connection.http2(WINDOW);
    int stream = connection.nextStream();
    connection.send(Frames.frame(Frames.HEADERS, 0, stream, Frames.head("GET", "/", "")));
    for (int i = 0; i < 20; i++) {
      Buffer block = Frames.literal(Buffer.buffer(), "x-a" + i, "a".repeat(10_000));
      connection.more(
          Frames.frame(Frames.CONTINUATION, i == 19 ? Frames.END_HEADERS : 0, stream, block));
    }
  }

  private static void continuations(Connection connection) {
    connection.http2(WINDOW);
    int stream = connection.nextStream();
    connection.send(Frames.frame(Frames.HEADERS, 0, stream, Frames.head("GET", "/", "")));
    Buffer empty = Frames.frame(Frames.CONTINUATION, 0, stream, Buffer.buffer());
    Buffer small =
        Frames.frame(
            Frames.CONTINUATION,
            0,
            stream,
            Frames.literal(Buffer.buffer(), "x-a", "a".repeat(100)));
    Buffer frames = repeated(connection.number % 2 == 0 ? empty : small, 200);
    connection.each(100, any -> connection.send(frames));
  }

  private static Buffer keyed(String path) {
    return Frames.head("POST", path, UUID.randomUUID().toString());
  }
}
