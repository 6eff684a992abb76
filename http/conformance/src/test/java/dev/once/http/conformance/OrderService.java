package dev.once.http.conformance;

import java.util.concurrent.atomic.AtomicInteger;

/** The application behind the reference server: makes orders, and counts them. */
final class OrderService {

  private final AtomicInteger made = new AtomicInteger();
  private final AtomicInteger errors = new AtomicInteger();

  /** {@code pause} is how long a slow request takes. */
  Outgoing handle(Incoming request, Runnable pause) {
    if (request.method().equals("GET")) {
      return get(request);
    }
    if (!request.first("X-Slow").isEmpty() || request.body().contains("\"slow\"")) {
      pause.run();
    }
    if (request.body().contains("\"reject\"")) {
      return error(402, "declined");
    }
    if (request.body().contains("\"fail\"")) {
      return error(500, "broken");
    }
    int number = made.incrementAndGet();
    return Outgoing.of(201, "application/json", "{\"id\":" + number + "}")
        .with("Location", request.path() + "/" + number)
        .with("Set-Cookie", "session=" + number);
  }

  private Outgoing error(int status, String text) {
    String body = "{\"error\":\"" + text + "\",\"incident\":" + errors.incrementAndGet() + "}";
    return Outgoing.of(status, "application/json", body);
  }

  private Outgoing get(Incoming request) {
    String list = "[0" + ",0".repeat(made.get()) + "]";
    return switch (request.path()) {
      case "/count" -> Outgoing.of(200, "text/plain", made + "\n");
      case "/stats" ->
          Outgoing.of(
              200, "application/json", "{\"data\":{\"made\":" + made + ",\"list\":" + list + "}}");
      case "/text" -> Outgoing.of(200, "text/plain", "no number here");
      default -> Outgoing.of(404, "text/plain", "not found");
    };
  }
}
