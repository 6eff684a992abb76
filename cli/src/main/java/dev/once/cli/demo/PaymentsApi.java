package dev.once.cli.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A service as there are many: every {@code POST /payments} charges a card, also when it is the
 * same payment sent again. It knows nothing of idempotency keys.
 */
public final class PaymentsApi implements AutoCloseable {

  private static final int THREADS = 16;
  private static final long SLOW_MILLIS = 2_000;

  /** Enough to tell what a demonstration sends; this is no parser. */
  private static final Pattern AMOUNT = Pattern.compile("\"amount\"\\s*:\\s*(-?\\d{1,9})");

  private static final Pattern FAIL = Pattern.compile("\"fail\"\\s*:\\s*true");

  private final HttpServer server;
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final AtomicInteger ids = new AtomicInteger();
  private final List<String> payments = new CopyOnWriteArrayList<>();

  private PaymentsApi(HttpServer server) {
    this.server = server;
  }

  /** Starts it on a free port of this machine. */
  public static PaymentsApi start() throws IOException {
    System.setProperty("sun.net.httpserver.nodelay", "true");
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    PaymentsApi api = new PaymentsApi(HttpServer.create(any, 0));
    api.server.setExecutor(api.threads);
    api.server.createContext("/", api::handle);
    api.server.start();
    return api;
  }

  public URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** How often a card was charged. */
  public int charges() {
    return payments.size();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
      String path = exchange.getRequestURI().getPath();
      if (!path.equals("/payments")) {
        answer(exchange, 404, "{\"error\":\"there is only /payments\"}");
        return;
      }
      switch (exchange.getRequestMethod()) {
        case "GET" -> answer(exchange, 200, list());
        case "POST" -> charge(exchange, body);
        default -> answer(exchange, 405, "{\"error\":\"GET or POST\"}");
      }
    }
  }

  private String list() {
    List<String> now = List.copyOf(payments);
    return "{\"count\":%d,\"payments\":[%s]}".formatted(now.size(), String.join(",", now));
  }

  private void charge(HttpExchange exchange, String body) throws IOException {
    if (exchange.getRequestHeaders().containsKey("X-Slow")) {
      beSlow();
    }
    Matcher amount = AMOUNT.matcher(body);
    int charged = amount.find() ? Integer.parseInt(amount.group(1)) : 1;
    if (charged < 1) {
      answer(exchange, 400, "{\"error\":\"an amount is 1 or more\"}");
    } else if (FAIL.matcher(body).find()) {
      answer(exchange, 500, "{\"error\":\"the card terminal is out of order\"}");
    } else {
      int id = ids.incrementAndGet();
      String payment = "{\"id\":%d,\"amount\":%d,\"status\":\"charged\"}".formatted(id, charged);
      payments.add(payment);
      exchange.getResponseHeaders().set("Location", "/payments/" + id);
      answer(exchange, 201, payment);
    }
  }

  private static void beSlow() {
    try {
      TimeUnit.MILLISECONDS.sleep(SLOW_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void answer(HttpExchange exchange, int status, String json) throws IOException {
    byte[] bytes = json.getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
