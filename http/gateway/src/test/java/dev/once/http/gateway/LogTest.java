package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What the log says of requests. The build sends it to a file. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LogTest extends GatewayFixture {

  private static final String FILE = System.getProperty("org.slf4j.simpleLogger.logFile", "");

  private int before;

  @BeforeEach
  void remember() throws IOException {
    assumeTrue(!FILE.isEmpty(), "the log goes to a file only in the build");
    before = Files.readAllLines(Path.of(FILE)).size();
  }

  private List<String> lines() {
    try {
      List<String> all = Files.readAllLines(Path.of(FILE));
      return all.subList(before, all.size());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private List<String> about(String what) {
    return lines().stream().filter(line -> line.contains(what)).toList();
  }

  @Test
  void keys_are_masked_wherever_they_are_named() throws Exception {
    start();
    String key = "550e8400-e29b-41d4-a716-446655440000";
    pay("/logged", key);
    pay("/logged", key);
    send(post("/logged", key, "other"));
    eventually(() -> about("/logged").size() >= 3);
    assertThat(about("/logged")).allMatch(line -> line.contains("550e****0000"));
    assertThat(lines()).noneMatch(line -> line.contains(key));
    assertThat(about("replayed 550e****0000 POST /logged from 127.0.0.1 (Java-http-client"))
        .hasSize(1)
        .allMatch(line -> line.contains("INFO"));
  }

  @Test
  void a_missing_or_bad_key_is_a_warning_without_the_key() throws Exception {
    start(setup -> setup.policy("required", "true"));
    send(post("/warned", null, "x"));
    send(post("/warned", "se cret", "x"));
    eventually(() -> about("/warned").size() >= 2);
    assertThat(about("/warned")).allMatch(line -> line.contains("WARN"));
    assertThat(about("MISSING POST /warned")).hasSize(1);
    assertThat(about("MALFORMED POST /warned")).hasSize(1);
    assertThat(lines()).noneMatch(line -> line.contains("se cret"));
  }

  @Test
  void nothing_that_a_client_sends_forges_a_line() throws Exception {
    start();
    RawClient client = raw();
    String agent = "a\u0085INFO fake\u009b31m\tb";
    client.send("POST /forged%0d%0aINFO%20fake HTTP/1.1\r\nHost: h\r\nIdempotency-Key: k\r\n");
    client.send("User-Agent: " + agent + "\r\nContent-Length: 0\r\n\r\n");
    client.read();
    eventually(() -> about("forged").size() >= 1);
    assertThat(about("forged")).hasSize(1).allMatch(line -> line.matches("[ -~]+"));
  }

  @Test
  void no_secret_is_in_the_log() throws Exception {
    service.on("/quiet", call -> call.answer(200, "body-secret", "Set-Cookie: cookie-secret"));
    start();
    for (int i = 0; i < 2; i++) {
      send(
          payment("/quiet?token=query-secret", "k-1")
              .header("Authorization", "Bearer auth-secret")
              .header("Cookie", "session=cookie-secret"));
    }
    eventually(() -> about("/quiet").size() >= 2);
    RawClient client = raw();
    client.send("GET / HTTP/1.1\r\nHost: h\r\nAuthorization: broken-secret\u0001\r\n\r\n");
    client.awaitClose();
    assertThat(lines()).noneMatch(line -> line.contains("secret"));
  }
}
