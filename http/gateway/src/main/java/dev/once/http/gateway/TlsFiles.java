package dev.once.http.gateway;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Certificate and key in PEM, read again when they change. */
final class TlsFiles {

  private static final Logger log = LoggerFactory.getLogger(Gateway.class);
  private static final long LOOK_EVERY_MILLIS = 2_000;

  private TlsFiles() {}

  static PemKeyCertOptions options(GatewaySettings.Tls tls) {
    for (Path file : List.of(tls.certificate(), tls.key())) {
      if (!Files.isReadable(file)) {
        throw new GatewayException("tls: " + file + " (expected: a readable file in PEM)", null);
      }
    }
    return new PemKeyCertOptions()
        .setCertPath(tls.certificate().toString())
        .setKeyPath(tls.key().toString());
  }

  /** New connections get the new certificate; if it cannot be read, the old one stays. */
  static void watch(Vertx vertx, GatewaySettings.Tls tls, HttpServer server) {
    String[] known = {state(tls)};
    vertx.setPeriodic(
        LOOK_EVERY_MILLIS,
        any -> {
          String now = state(tls);
          if (!now.equals(known[0])) {
            known[0] = now;
            reload(tls, server);
          }
        });
  }

  private static void reload(GatewaySettings.Tls tls, HttpServer server) {
    ServerSSLOptions options = new ServerSSLOptions();
    try {
      options.setKeyCertOptions(options(tls)).setUseAlpn(true);
    } catch (GatewayException e) {
      log.error("certificate not reloaded: {}", e.getMessage());
      return;
    }
    // By force: the names of the files are the same, and Vert.x would keep what it read before.
    server
        .updateSSLOptions(options, true)
        .onSuccess(done -> log.info("certificate reloaded"))
        .onFailure(failure -> log.error("certificate not reloaded: {}", failure.toString()));
  }

  private static String state(GatewaySettings.Tls tls) {
    return stamp(tls.certificate()) + stamp(tls.key());
  }

  private static String stamp(Path file) {
    try {
      return Files.getLastModifiedTime(file) + "/" + Files.size(file) + ";";
    } catch (IOException e) {
      return "unreadable;";
    }
  }
}
