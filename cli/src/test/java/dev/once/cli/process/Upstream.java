package dev.once.cli.process;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * The service behind the gateways, in this process. It writes down each execution, gives it a new
 * id, and answers as it is told: at once or when a {@link Hold} is released, with the status that
 * is planned for the path.
 *
 * <p>Some requests say themselves how they want to be treated, as the conformance suite needs it:
 * {@code X-Slow} has milliseconds, a body with {@code "reject"} or {@code "fail"} gets 402 or 500.
 */
final class Upstream implements AutoCloseable {

  /** How many executions had success. Not an execution itself. */
  static final String COUNT = "/count";

  private static final String NOISE =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

  private static final String SENDER = "/from-";
  private static final Iterable<String> PARTS = List.of("one", "two");

  private final Vertx vertx = Vertx.vertx();
  private final int usualStatus;
  private final HttpServer server;
  private final List<Execution> executions = new CopyOnWriteArrayList<>();
  private final AtomicInteger effects = new AtomicInteger();
  private final List<Hold> holds = new CopyOnWriteArrayList<>();
  private final Map<String, Deque<Integer>> statuses = new ConcurrentHashMap<>();
  private final Map<String, Integer> sizes = new ConcurrentHashMap<>();

  Upstream(int usualStatus) {
    this.usualStatus = usualStatus;
    server =
        vertx
            .createHttpServer()
            .webSocketHandler(socket -> socket.textMessageHandler(socket::writeTextMessage))
            .requestHandler(request -> request.body().onSuccess(body -> handle(request, body)))
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .join();
  }

  String url() {
    return "http://127.0.0.1:" + server.actualPort();
  }

  /** The URL for a gateway whose executions should be known as its own. */
  String urlFor(String sender) {
    return url() + SENDER + sender;
  }

  // What a test plans.

  /** The statuses of the next executions at this path, in order; then it is as usual again. */
  void plan(String path, Integer... next) {
    statuses.put(path, new ArrayDeque<>(List.of(next)));
  }

  /** How many bytes an answer at this path has at least. */
  void planSize(String path, int bytes) {
    sizes.put(path, bytes);
  }

  /** Holds the next execution at this path. */
  Hold hold(String path) {
    return hold(execution -> execution.path().equals(path));
  }

  Hold hold(Predicate<Execution> which) {
    Hold hold = new Hold(which);
    holds.add(hold);
    return hold;
  }

  // What a test asks.

  List<Execution> executions() {
    return List.copyOf(executions);
  }

  List<Execution> executions(String path) {
    return executions.stream().filter(execution -> execution.path().equals(path)).toList();
  }

  // What it does; all on one event loop.

  private void handle(HttpServerRequest request, Buffer body) {
    if (request.path().endsWith(COUNT)) {
      request.response().end(String.valueOf(effects.get()));
      return;
    }
    Execution execution = execution(request, body.toString());
    executions.add(execution);
    Hold hold = holds.stream().filter(h -> h.catches(execution)).findFirst().orElse(null);
    String slow = request.getHeader("X-Slow");
    if (hold != null) {
      holds.remove(hold);
      var context = vertx.getOrCreateContext();
      hold.released().thenRun(() -> context.runOnContext(any -> answer(request, execution)));
    } else if (slow != null) {
      vertx.setTimer(Long.parseLong(slow), any -> answer(request, execution));
    } else {
      answer(request, execution);
    }
  }

  private Execution execution(HttpServerRequest request, String body) {
    String path = request.path();
    String sender = "";
    if (path.startsWith(SENDER)) {
      int end = path.indexOf('/', SENDER.length());
      sender = path.substring(SENDER.length(), end);
      path = path.substring(end);
    }
    String key = request.getHeader("Idempotency-Key");
    String otherKey = request.getHeader("X-Idempotency-Key");
    String fence = request.getHeader("Idempotency-Fence");
    String attempt = request.getHeader("Idempotency-Attempt");
    return new Execution(
        executions.size() + 1,
        sender,
        request.method().name(),
        path,
        key != null ? key : otherKey != null ? otherKey : "",
        body,
        fence == null ? 0 : Long.parseLong(fence),
        attempt == null ? 0 : Integer.parseInt(attempt));
  }

  private void answer(HttpServerRequest request, Execution execution) {
    int status = status(execution);
    if (status / 100 == 2) {
      effects.incrementAndGet();
    }
    HttpServerResponse response = request.response().setStatusCode(status);
    if (response.closed()) {
      return; // the gateway was killed
    }
    response
        .putHeader("Content-Type", "application/json")
        .putHeader("Location", execution.path() + "/" + execution.id())
        .putHeader("Set-Cookie", "visit=" + execution.id())
        .putHeader("X-Part", PARTS)
        .end(status == 204 ? Buffer.buffer() : body(execution));
  }

  private int status(Execution execution) {
    if (execution.body().contains("\"reject\"")) {
      return 402;
    }
    if (execution.body().contains("\"fail\"")) {
      return 500;
    }
    Deque<Integer> planned = statuses.get(execution.path());
    return planned == null || planned.isEmpty() ? usualStatus : planned.pop();
  }

  private Buffer body(Execution execution) {
    int size = sizes.getOrDefault(execution.path(), 0);
    return Buffer.buffer(
        "{\"id\":\"%d\",\"made\":\"caf\u00e9\",\"rest\":\"%s\"}"
            .formatted(execution.id(), noise(execution.id(), size)));
  }

  /** Text that cannot be made much smaller: it takes the room that it seems to. */
  private static String noise(int seed, int size) {
    StringBuilder text = new StringBuilder(size);
    new Random(seed).ints(size, 0, NOISE.length()).forEach(at -> text.append(NOISE.charAt(at)));
    return text.toString();
  }

  @Override
  public void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }
}
