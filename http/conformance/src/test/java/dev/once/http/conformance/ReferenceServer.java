package dev.once.http.conformance;

import dev.once.http.conformance.wire.Backoff;
import dev.once.http.conformance.wire.Json;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A server that keeps every rule, in memory, unless it is given defects. HTTP itself is done by a
 * front: {@link JdkFront} or {@link VertxFront}.
 */
final class ReferenceServer {

  private final ServerBehaviour behaviour;
  private final Set<Defect> defects;
  private final OrderService orders = new OrderService();
  private final Problems problems;
  private final Map<String, Entry> entries = new ConcurrentHashMap<>();

  ReferenceServer(ServerBehaviour behaviour, Set<Defect> defects) {
    this.behaviour = behaviour;
    this.defects = defects;
    this.problems = new Problems(defects);
  }

  /** A running operation, or a finished one. */
  private static final class Entry {
    final String fingerprint;
    final CompletableFuture<Outgoing> answer = new CompletableFuture<>();
    volatile boolean met;

    Entry(String fingerprint) {
      this.fingerprint = fingerprint;
    }
  }

  Outgoing handle(Incoming request) {
    if (request.method().equals("GET") && request.path().equals("/docs")) {
      return problems.page();
    }
    if (request.method().equals("GET") && !has(Defect.STORES_GETS)) {
      return orders.handle(request, () -> {});
    }
    var lines = request.all(behaviour.keyHeader());
    if (lines.isEmpty() && !has(Defect.NO_KEY_IS_A_KEY)) {
      return behaviour.required()
          ? problems.refusal(400, "The key is missing", "")
          : orders.handle(request, () -> {});
    }
    String line = lines.isEmpty() ? "" : lines.get(0);
    boolean two = lines.size() > 1 && !has(Defect.TAKES_THE_FIRST_OF_TWO_KEYS);
    String key = lines.isEmpty() ? "none" : key(line);
    if (two || key.isEmpty()) {
      return has(Defect.FAILS_ON_BAD_KEYS)
          ? Outgoing.of(500, "text/plain", "boom")
          : problems.refusal(400, "The key is malformed", line);
    }
    return keyed(request, key);
  }

  /** The key without its quotes; empty if it is none. */
  private String key(String line) {
    boolean quoted = line.matches("\"[^\"]*\"");
    String text = quoted ? line.substring(1, line.length() - 1) : line;
    if (text.length() > 255 && has(Defect.HANGS_ON_LONG_KEYS)) {
      Backoff.sleep(60_000);
    }
    boolean lenient =
        (line.isEmpty() && has(Defect.TAKES_EMPTY_KEYS))
            || (line.startsWith("\"") && !quoted && has(Defect.TAKES_UNBALANCED_KEYS))
            || (!line.matches("\\p{ASCII}*") && has(Defect.TAKES_NON_ASCII_KEYS))
            || (line.length() > 255 && has(Defect.TAKES_KEYS_OF_ANY_LENGTH));
    if (lenient) {
      return "lenient " + line;
    }
    boolean allowed = !quoted || (behaviour.strings() && !has(Defect.REFUSES_STRINGS));
    if (!allowed || !text.matches(behaviour.keyRule())) {
      return "";
    }
    if (has(Defect.CUTS_KEYS_AT_SPACES)) {
      return text.split(" ", 2)[0];
    }
    return has(Defect.QUOTES_BELONG_TO_THE_KEY) ? line : text;
  }

  private Outgoing keyed(Incoming request, String key) {
    String fingerprint = fingerprint(request);
    String client = has(Defect.CROSSES_CREDENTIALS) ? "" : request.first("Authorization");
    String id = client + "\n" + (has(Defect.ONE_KEY_FOR_ALL) ? "" : key);
    boolean another = behaviour.mismatch() == 0;
    if (has(Defect.IDENTITY_IS_THE_PAYLOAD)) {
      id = client + "\n" + fingerprint;
    } else if (another || has(Defect.EXECUTES_ANOTHER_PAYLOAD)) {
      id += fingerprint;
    }
    Entry mine = new Entry(fingerprint);
    Entry entry = entries.putIfAbsent(id, mine);
    if (entry == null) {
      return run(id, mine, request);
    }
    boolean running = !entry.answer.isDone(); // before it is told: it ends soon after
    entry.met = true;
    if (has(Defect.NO_IDEMPOTENCY_AT_ALL)) {
      return orders.handle(request, () -> {});
    }
    boolean mismatch = !entry.fingerprint.equals(fingerprint);
    if (mismatch && !(running && has(Defect.CONFLICT_BEFORE_MISMATCH))) {
      return mismatch(id, key);
    }
    return running ? conflict(request, entry, key) : replay(entry.answer.join(), request);
  }

  private String fingerprint(Incoming request) {
    if (has(Defect.NO_MISMATCH_CHECK)) {
      return "";
    }
    String body =
        has(Defect.COMPARES_BODIES_RAW)
            ? request.body()
            : Json.parse(request.body()).map(ReferenceServer::canonical).orElse(request.body());
    return has(Defect.FINGERPRINT_OF_THE_BODY_ALONE)
        ? body
        : request.method() + " " + request.path() + "?" + request.query() + " " + body;
  }

  /** Members by name; enough for the flat payloads of these tests. */
  private static String canonical(Json json) {
    return json instanceof Json.Members members
        ? new TreeMap<>(members.byName()).toString()
        : json.toString();
  }

  private Outgoing run(String id, Entry entry, Incoming request) {
    Outgoing answer =
        has(Defect.ACKNOWLEDGES_WITHOUT_DOING)
            ? Outgoing.of(201, "application/json", "{\"id\":" + System.nanoTime() + "}")
            : orders.handle(request, () -> await(entry));
    boolean kept =
        answer.status() < 400
            || (answer.status() < 500 ? behaviour.keepsRejections() : behaviour.keepsFailures());
    boolean lost = has(Defect.RERUNS_ERRORS) && answer.status() >= 400;
    if (!kept || lost || (entry.met && has(Defect.FORGETS_AFTER_CONFLICT))) {
      entries.remove(id);
    }
    entry.answer.complete(answer);
    return has(Defect.MARKS_FIRST_ANSWERS) ? answer.with(behaviour.marker(), "true") : answer;
  }

  /**
   * Slow means: until somebody else came with the key, and a moment more. With a defect, nobody may
   * ever come.
   */
  private void await(Entry entry) {
    long startedAt = System.nanoTime();
    long timeout = TimeUnit.SECONDS.toNanos(defects.isEmpty() ? 30 : 2);
    while (!entry.met && System.nanoTime() - startedAt < timeout) {
      Backoff.sleep(2);
    }
    Backoff.sleep(80);
  }

  private Outgoing mismatch(String id, String key) {
    if (has(Defect.FORGETS_ON_MISMATCH)) {
      entries.remove(id);
    }
    int status = has(Defect.MISMATCH_IS_409) ? 409 : behaviour.mismatch();
    return refusal(status, "The key was used for another request", key);
  }

  private Outgoing conflict(Incoming request, Entry entry, String key) {
    if (has(Defect.EXECUTES_CONCURRENTLY)) {
      return orders.handle(request, () -> await(entry));
    }
    if (behaviour.busy() == 0) {
      return replay(entry.answer.join(), request);
    }
    int status = has(Defect.CONFLICT_IS_503) ? 503 : behaviour.busy();
    Outgoing conflict = refusal(status, "The operation is running", key);
    return has(Defect.NO_RETRY_AFTER) ? conflict : conflict.with("Retry-After", "1");
  }

  private Outgoing refusal(int status, String title, String key) {
    Outgoing refusal = problems.refusal(status, title, key);
    return has(Defect.MARKS_REFUSALS) ? refusal.with(behaviour.marker(), "true") : refusal;
  }

  private Outgoing replay(Outgoing answer, Incoming request) {
    if (has(Defect.REPLAYS_AND_EXECUTES)) {
      orders.handle(request, () -> {});
    }
    Outgoing replay = has(Defect.REPLAYS_COOKIES) ? answer : answer.without("Set-Cookie");
    if (has(Defect.REPLAYS_ANOTHER_STATUS)) {
      replay = replay.withStatus(200);
    }
    if (has(Defect.REPLAYS_ANOTHER_BODY)) {
      replay = new Outgoing(replay.status(), replay.headers(), replay.body() + " ");
    }
    if (has(Defect.REPLAYS_BODY_ONLY)) {
      replay = Outgoing.of(200, "text/plain", replay.body());
    }
    return has(Defect.NO_MARKER) ? replay : replay.with(behaviour.marker(), "true");
  }

  private boolean has(Defect defect) {
    return defects.contains(defect);
  }
}
