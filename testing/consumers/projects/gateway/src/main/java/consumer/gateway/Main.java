package consumer.gateway;

import com.sun.net.httpserver.HttpServer;
import dev.once.http.gateway.Gateway;
import dev.once.http.gateway.config.Configuration;
import dev.once.http.gateway.config.Sources;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

final class Main {

  private Main() {}

  public static void main(String[] arguments) throws Exception {
    HttpServer service = service();
    Path folder = Files.createTempDirectory("consumer");
    Path file =
        Files.writeString(
            folder.resolve("gateway.yaml"),
            """
            upstream: http://localhost:%d
            listen: localhost:0
            admin: none
            anonymous: true
            store: "sqlite:%s"
            """
                .formatted(service.getAddress().getPort(), folder.resolve("once.db")));
    try (Gateway gateway =
        Gateway.start(Configuration.load(new Sources(Map.of(), file, Map.of())).settings())) {
      System.out.println(post(gateway.port()));
      System.out.println(post(gateway.port()));
    } finally {
      service.stop(0);
    }
  }

  private static HttpServer service() throws IOException {
    AtomicInteger charges = new AtomicInteger();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body =
              ("paid, charge " + charges.incrementAndGet()).getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(201, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static String post(int port) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/payments"))
            .header("Idempotency-Key", "key-1")
            .POST(HttpRequest.BodyPublishers.ofString("10 EUR"))
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
  }
}
