package dev.once.benchmarks.soak;

import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * One kind of attack: so many connections at once, each of which follows a script and ends after
 * some seconds at the latest; then another takes its place. All on one event loop.
 */
final class Attack {

  /** So long, about, until as many as allowed are open. */
  private static final int SECONDS_TO_FULL_STRENGTH = 4;

  private static final int TICK_MILLIS = 100;

  final String name;
  private final int atOnce;
  private final int seconds;
  private final Consumer<Connection> script;
  private final Set<Connection> open = new HashSet<>();
  private final Map<String, Integer> outcomes = new TreeMap<>();
  private int connections;
  private long requests;
  private long timer;
  private double due;
  private int dialing;
  private boolean over;

  Attack(String name, int atOnce, int seconds, Consumer<Connection> script) {
    this.name = name;
    this.atOnce = atOnce;
    this.seconds = seconds;
    this.script = script;
  }

  void begin(Vertx vertx, NetClient client, int port) {
    timer = vertx.setPeriodic(TICK_MILLIS, any -> tick(vertx, client, port));
  }

  private void tick(Vertx vertx, NetClient client, int port) {
    double perTick = (double) atOnce * TICK_MILLIS / 1_000 / SECONDS_TO_FULL_STRENGTH;
    due = Math.min(atOnce, due + perTick);
    for (; due >= 1 && open.size() + dialing < atOnce; due--) {
      dial(vertx, client, port);
    }
  }

  private void dial(Vertx vertx, NetClient client, int port) {
    int number = connections++;
    dialing++;
    client
        .connect(port, "127.0.0.1")
        .onComplete(
            (socket, failure) -> {
              dialing--;
              if (socket == null) {
                outcome("not connected");
              } else if (over) {
                socket.close();
              } else {
                Connection connection = new Connection(vertx, socket, this, number);
                open.add(connection);
                connection.endAfter(seconds);
                script.accept(connection);
              }
            });
  }

  void ended(Connection connection, String outcome) {
    if (open.remove(connection)) {
      outcome(outcome);
    }
  }

  private synchronized void outcome(String what) {
    outcomes.merge(what, 1, Integer::sum);
  }

  synchronized void sent(int more) {
    requests += more;
  }

  /** Closes all, and opens no more. */
  void stop(Vertx vertx) {
    over = true;
    vertx.cancelTimer(timer);
    Set.copyOf(open).forEach(Connection::stop);
  }

  synchronized String row() {
    return "| %s | %d | %d | %d | %s |"
        .formatted(name, atOnce, connections, requests, outcomes.toString().replaceAll("[{}]", ""));
  }
}
