package dev.once.stores.redis;

import static dev.once.stores.redis.StoreSteps.assertReplays;
import static dev.once.stores.redis.StoreSteps.finished;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.store.StoreException;
import dev.once.testing.servers.RedisServer;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Encrypted connections, with a certificate that the JDK's keytool makes. */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class TlsTest {

  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir private Path folder;

  @Test
  void a_server_is_believed_if_its_certificate_is_and_its_name_fits() throws Exception {
    makeCertificate();
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    try (RedisServer server =
        RedisServer.start(
            "tls-port " + port,
            "tls-cert-file " + folder.resolve("cert.pem"),
            "tls-key-file " + folder.resolve("key.pem"),
            "tls-ca-cert-file " + folder.resolve("cert.pem"),
            "tls-auth-clients no")) {
      String trusted = "?ca=" + folder.resolve("cert.pem");

      try (RedisStore store = RedisStore.open("rediss://localhost:" + port + trusted)) {
        finished(store, "a");
        assertReplays(store, "a");
      }
      refused("rediss://localhost:" + port);
      refused("rediss://127.0.0.1:" + port + trusted);
      RedisStore.open("rediss://127.0.0.1:" + port + trusted + "&verify=ca").close();
      RedisStore.open("rediss://127.0.0.1:" + port + "?verify=none").close();
      refused("redis://localhost:" + port);
      assertThat(server.log()).isNotEmpty();
    }
  }

  private static void refused(String url) {
    assertThatThrownBy(() -> RedisStore.open(url + (url.contains("?") ? "&" : "?") + "timeout=2s"))
        .isInstanceOf(StoreException.class);
  }

  private void makeCertificate() throws Exception {
    Path store = folder.resolve("store.p12");
    Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    Process made =
        new ProcessBuilder(
                keytool.toString(),
                "-genkeypair",
                "-alias",
                "redis",
                "-keyalg",
                "RSA",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                new String(PASSWORD))
            .redirectErrorStream(true)
            .start();
    made.getInputStream().readAllBytes();
    assertThat(made.waitFor()).isZero();
    KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD);
    write("cert.pem", "CERTIFICATE", keys.getCertificate("redis").getEncoded());
    write("key.pem", "PRIVATE KEY", keys.getKey("redis", PASSWORD).getEncoded());
  }

  private void write(String file, String kind, byte[] content) throws Exception {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    Files.writeString(
        folder.resolve(file),
        "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(kind, text));
  }
}
