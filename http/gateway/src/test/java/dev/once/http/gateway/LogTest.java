package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** What the log says of requests. The build sends it to a file. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LogTest extends GatewayFixture {

  private static final String FILE = System.getProperty("org.slf4j.simpleLogger.logFile", "");

  private int before;

  @BeforeEach
  void remember() throws IOException {
    assumeTrue(!FILE.isEmpty(), "the log goes to a file only in the build");
    LoggerFactory.getLogger(LogTest.class); // the first one empties a file of an earlier build
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
    assertThat(about("replayed 550e****0000#"))
        .hasSize(1)
        .allMatch(line -> line.contains(" POST /logged from 127.0.0.1 (Java-http-client"))
        .allMatch(line -> line.contains("INFO"));
  }

  @Test
  void all_lines_about_a_short_key_can_be_found_together() throws Exception {
    start(setup -> setup.policy("max-request-body", "16"));
    pay("/short", "order-1");
    pay("/short", "order-1");
    pay("/short", "order-2");
    send(post("/short", "order-1", "larger than 16 bytes"));
    eventually(() -> about("/short").size() >= 4);
    Map<String, Long> tags =
        about("/short").stream()
            .map(line -> line.replaceFirst(".*(\\*{4}#[0-9a-f]{6}) POST .*", "$1"))
            .collect(Collectors.groupingBy(tag -> tag, Collectors.counting()));
    assertThat(tags.values()).containsExactlyInAnyOrder(3L, 1L);
    assertThat(lines()).noneMatch(line -> line.contains("order-"));
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
  void a_refusal_and_its_line_have_the_same_id() throws Exception {
    start(setup -> setup.policy("max-request-body", "1"));
    for (String body : List.of(send(post("/named", "a b", "x")).body(), tooLarge())) {
      String id = body.replaceFirst("(?s).*\"instance\":\"([^\"]+)\".*", "$1");
      eventually(() -> about(id).size() == 1);
    }
  }

  private String tooLarge() throws Exception {
    return send(post("/named", "k", "too large")).body();
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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HTTP/1.1 101 Go~Upgrade: websocket~~ | status: 101 (expected: 200 to 599)",
        "HTTP/1.1 200 OK~no-colon-secret~~ | the head is not HTTP",
        "HTTP/1.1 200 OK~X: a^secret~~ | header X: a CR, LF or NUL",
        "HTTP/1.1 200 OK~Transfer-Encoding: gzip~~ | Transfer-Encoding",
        "HTTP/1.1 200 OK~Content-Length: 1~Content-Length: 2~~ab | Content-Length",
        "HTTP/1.1 200 OK~Transfer-Encoding: chunked~~5;secret@hello~ | chunk",
        "HTTP/1.1 200 OK~Content-Length: 9~~secret | closed",
        "HTTP/1.1 200 OK~X: LARGE~Content-Length: 0~~ | over 131072 bytes",
        "what do you want?~~ | the head is not HTTP"
      })
  void where_an_answer_cannot_be_taken_the_log_says_why(String bytes, String reason)
      throws Exception {
    String answer =
        bytes
            .replace("~", "\r\n")
            .replace('^', '\r')
            .replace('@', '\n')
            .replace("LARGE", "secret".repeat(30_000));
    service.on(
        "/untaken",
        call -> {
          call.body();
          call.send(answer);
          call.close();
        });
    start();
    assertThat(pay("/untaken", "secret-key").statusCode()).isEqualTo(502);
    eventually(() -> about("POST /untaken").stream().anyMatch(line -> line.contains(reason)));
    RawClient client = raw();
    client.send("GET /untaken?token=secret HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    client.awaitClose();
    eventually(() -> about("GET /untaken").stream().anyMatch(line -> line.contains(reason)));
    assertThat(about(reason)).allMatch(line -> line.contains("WARN"));
    assertThat(lines()).noneMatch(line -> line.contains("secret"));
  }

  @Test
  void an_upstream_that_cannot_be_reached_is_in_the_log() throws Exception {
    start();
    service.close();
    assertThat(send(get("/unreached")).statusCode()).isEqualTo(502);
    eventually(() -> about("GET /unreached").stream().anyMatch(line -> line.contains("refused")));
  }

  @Test
  void bytes_that_nobody_asked_for_are_in_the_log_and_their_text_is_not() throws Exception {
    service.on("/more", call -> call.send("HTTP/1.1 204 No Content\r\n\r\nsecret"));
    start();
    assertThat(send(get("/more")).statusCode()).isEqualTo(204);
    eventually(() -> !about("after its answer").isEmpty());
    assertThat(lines()).noneMatch(line -> line.contains("secret"));
  }

  @Test
  void a_field_that_is_dropped_is_in_the_log_once() throws Exception {
    service.on("/odd", call -> call.answer(200, "x", "X-Foo[bar]: secret"));
    start();
    for (int i = 0; i < 4; i++) {
      assertThat(send(get("/odd")).statusCode()).isEqualTo(200);
    }
    assertThat(about("X-Foo[bar]")).isNotEmpty().hasSizeLessThanOrEqualTo(2);
    assertThat(lines()).noneMatch(line -> line.contains("secret"));
  }
}
