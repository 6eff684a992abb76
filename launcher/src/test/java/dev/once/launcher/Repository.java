package dev.once.launcher;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A Maven repository that is served over HTTP, and the proxy on the way to it, if it is asked as
 * one.
 */
final class Repository implements AutoCloseable {

  private final Map<String, byte[]> files = new ConcurrentHashMap<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final AtomicInteger toBreak = new AtomicInteger();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer server;
  private volatile String login = "";

  Repository() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  String url() {
    return "http://localhost:" + port() + "/maven";
  }

  int port() {
    return server.getAddress().getPort();
  }

  /** The paths that were asked for. */
  List<String> requests() {
    return requests;
  }

  void put(String path, byte[] content) {
    files.put(path, content);
  }

  /** The next answers end in the middle. */
  void breakNext(int answers) {
    toBreak.set(answers);
  }

  void onlyFor(String user, String password) {
    String text = user + ":" + password;
    login = "Basic " + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      requests.add(exchange.getRequestURI().toString());
      String said = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
      byte[] content = files.get(exchange.getRequestURI().getPath().replaceFirst("^/[^/]*/", ""));
      if (!login.isEmpty() && !said.equals(login)) {
        exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"jars\"");
        exchange.sendResponseHeaders(401, -1);
      } else if (content == null) {
        exchange.sendResponseHeaders(404, -1);
      } else {
        exchange.sendResponseHeaders(200, content.length);
        boolean broken = toBreak.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
        exchange
            .getResponseBody()
            .write(broken ? Arrays.copyOf(content, content.length / 2) : content);
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
