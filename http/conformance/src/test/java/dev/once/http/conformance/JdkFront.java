package dev.once.http.conformance;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import javax.net.ssl.SSLContext;

/** HTTP/1.1 for the reference server, by the JDK's own server. */
final class JdkFront implements AutoCloseable {

  static {
    // Without it every small answer waits for an acknowledgement that is delayed by 40 ms.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final HttpServer server;
  private final String scheme;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  private JdkFront(HttpServer server, String scheme, Function<Incoming, Outgoing> handler) {
    this.server = server;
    this.scheme = scheme;
    server.setExecutor(threads);
    server.createContext("/", exchange -> serve(exchange, handler));
    server.start();
  }

  static JdkFront of(Function<Incoming, Outgoing> handler) {
    try {
      return new JdkFront(HttpServer.create(anyPort(), 0), "http", handler);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static JdkFront of(ServerBehaviour behaviour, Defect... defects) {
    return of(new ReferenceServer(behaviour, Set.of(defects))::handle);
  }

  static JdkFront secured(SSLContext context, Function<Incoming, Outgoing> handler)
      throws IOException {
    HttpsServer server = HttpsServer.create(anyPort(), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(context));
    return new JdkFront(server, "https", handler);
  }

  private static InetSocketAddress anyPort() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  String url(String path) {
    return scheme + "://localhost:" + server.getAddress().getPort() + path;
  }

  /** A target with all that the reference server offers. */
  TargetBuilder target() {
    return ConformanceRuns.full(url(""));
  }

  private static void serve(HttpExchange exchange, Function<Incoming, Outgoing> handler)
      throws IOException {
    try (exchange) {
      Map<String, List<String>> headers = new HashMap<>();
      exchange
          .getRequestHeaders()
          .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
      String query = exchange.getRequestURI().getRawQuery();
      Outgoing answer =
          handler.apply(
              new Incoming(
                  exchange.getRequestMethod(),
                  exchange.getRequestURI().getRawPath(),
                  query == null ? "" : query,
                  headers,
                  new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
      answer.headers().forEach(h -> exchange.getResponseHeaders().add(h.name(), h.value()));
      byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
    // It waits for a selector, a second long, and no test has to wait with it.
    Thread stopping = new Thread(() -> server.stop(0));
    stopping.setDaemon(true);
    stopping.start();
  }
}
