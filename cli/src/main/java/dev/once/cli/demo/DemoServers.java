package dev.once.cli.demo;

import dev.once.http.gateway.Gateway;
import dev.once.http.gateway.config.Configuration;
import dev.once.http.gateway.config.Sources;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The payments API and the gateway in front of it, on files that are gone afterwards. */
public final class DemoServers implements AutoCloseable {

  private final PaymentsApi api;
  private final Gateway gateway;
  private final Path folder;

  private DemoServers(PaymentsApi api, Gateway gateway, Path folder) {
    this.api = api;
    this.gateway = gateway;
    this.folder = folder;
  }

  /** Starts both, the gateway and its admin port where it is told. */
  public static DemoServers open(int port, int adminPort) throws IOException {
    Path folder = Files.createTempDirectory("once-demo-");
    PaymentsApi api = PaymentsApi.start();
    Map<String, List<String>> flags =
        Map.of(
            "upstream", List.of(api.url().toString()),
            "listen", List.of("127.0.0.1:" + port),
            "admin", List.of("127.0.0.1:" + adminPort),
            // Who tries the demo can reach its admin port.
            "docs-url", List.of(adminPort == 0 ? "none" : page(adminPort)),
            "store", List.of("sqlite:" + folder.resolve("once.db")),
            "anonymous", List.of("true"), // nobody in the show has credentials
            "grace", List.of("3s"));
    try {
      Sources sources = new Sources(flags, null, Map.of());
      return new DemoServers(api, Gateway.start(Configuration.load(sources).settings()), folder);
    } catch (RuntimeException e) {
      api.close();
      throw e;
    }
  }

  private static String page(int adminPort) {
    return "http://127.0.0.1:" + adminPort + "/docs/idempotency";
  }

  public PaymentsApi api() {
    return api;
  }

  public URI gateway() {
    return URI.create("http://127.0.0.1:" + gateway.port());
  }

  public URI policyPage() {
    return gateway.policyPage();
  }

  @Override
  public void close() {
    gateway.close();
    api.close();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      // It is in the folder for what may be deleted at any time.
    }
  }
}
