package dev.once.http.gateway;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads certificate and key again when they change. They are two files, written one after the
 * other: they are read when two looks saw the same, and taken up only if they fit each other. Until
 * then what was in force stays so.
 */
final class TlsFiles {

  private static final Logger log = LoggerFactory.getLogger(Gateway.class);
  private static final long CHECK_EVERY_MILLIS = 1_000;

  private final GatewaySettings.Tls tls;
  private final HttpServer server;
  private String read;
  private String last;

  private TlsFiles(GatewaySettings.Tls tls, HttpServer server) {
    this.tls = tls;
    this.server = server;
    this.read = check();
    this.last = read;
  }

  /** Whoever verifies certificates refuses one that is expired, but not everybody does. */
  static PemKeyCertOptions atStart(GatewaySettings.Tls tls) {
    TlsPair pair = TlsPair.read(tls);
    if (pair.isExpired(Instant.now())) {
      log.warn("tls: {} is expired since {}", tls.certificate(), pair.validUntil());
    }
    return pair.options();
  }

  /** New connections get the new certificate. */
  static void watch(Vertx vertx, GatewaySettings.Tls tls, HttpServer server) {
    TlsFiles files = new TlsFiles(tls, server);
    vertx.setPeriodic(CHECK_EVERY_MILLIS, any -> files.checkAgain());
  }

  private void checkAgain() {
    String now = check();
    boolean settled = now.equals(last);
    last = now;
    if (settled && !now.equals(read)) {
      read = now;
      reload();
    }
  }

  private void reload() {
    ServerSSLOptions options = new ServerSSLOptions();
    try {
      TlsPair pair = TlsPair.read(tls);
      if (pair.isExpired(Instant.now())) {
        throw new GatewayException(
            "tls: %s is expired since %s (expected: one that is valid)"
                .formatted(tls.certificate(), pair.validUntil()),
            null);
      }
      options.setKeyCertOptions(pair.options()).setUseAlpn(true);
    } catch (GatewayException e) {
      log.error("certificate not reloaded, the old one stays in force: {}", e.getMessage());
      return;
    }
    server
        .updateSSLOptions(options, true)
        .onSuccess(done -> log.info("certificate reloaded"))
        .onFailure(failure -> log.error("certificate not reloaded: {}", failure.toString()));
  }

  private String check() {
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
