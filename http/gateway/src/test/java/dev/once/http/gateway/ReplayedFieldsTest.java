package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the fields of a recorded answer become for another client, at another time. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ReplayedFieldsTest extends GatewayFixture {

  private static final String TEXT = "said once ".repeat(50);

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }
    return bytes.toByteArray();
  }

  private static byte[] deflate(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DeflaterOutputStream out = new DeflaterOutputStream(bytes)) {
      out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }
    return bytes.toByteArray();
  }

  private Protocol.Answer send(String... headers) {
    String[] all = java.util.Arrays.copyOf(headers, headers.length + 1);
    all[headers.length] = "Idempotency-Key: k-1";
    return Protocol.HTTP_1_1.send(gateway.port(), "POST", "/p", "{}", all);
  }

  private Protocol.Answer replay(String... headers) {
    Protocol.Answer answer = send(headers);
    assertThat(answer.fields("Idempotent-Replayed")).containsExactly("true");
    assertThat(service.calls("/p")).hasSize(1);
    return answer;
  }

  // Content codings.

  @ParameterizedTest
  @ValueSource(strings = {"Accept-Encoding: br", "Accept-Encoding: gzip;q=0", "X-None: 1"})
  void a_retry_that_does_not_take_gzip_gets_the_text_itself(String accepts) throws Exception {
    byte[] zipped = gzip(TEXT);
    service.on(
        "/p",
        call ->
            call.answer(
                200,
                zipped,
                "Content-Encoding: gzip",
                "ETag: \"v1\"",
                "Content-Digest: sha-256=:AA==:",
                "X-Kept: 1"));
    start();
    assertThat(send("Accept-Encoding: gzip").fields("Content-Encoding")).containsExactly("gzip");
    Protocol.Answer retry = replay(accepts);
    assertThat(retry.body()).isEqualTo(TEXT);
    assertThat(retry.fields("Content-Encoding")).isEmpty();
    assertThat(retry.fields("Content-Digest")).isEmpty();
    assertThat(retry.fields("ETag")).containsExactly("W/\"v1\"");
    assertThat(retry.fields("X-Kept")).containsExactly("1");
  }

  @Test
  void deflate_is_decoded_too() throws Exception {
    byte[] zipped = deflate(TEXT);
    service.on("/p", call -> call.answer(200, zipped, "Content-Encoding: deflate"));
    start();
    send("Accept-Encoding: deflate");
    assertThat(replay("Accept-Encoding: gzip").body()).isEqualTo(TEXT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"gzip", "br, gzip;q=0.5", "*", "GZIP", "*;q=0.1, br", "x-gzip", "gzip ; q=1.000"})
  void a_retry_that_takes_gzip_gets_the_recorded_bytes(String accepts) throws Exception {
    byte[] zipped = gzip(TEXT);
    service.on("/p", call -> call.answer(200, zipped, "Content-Encoding: gzip", "ETag: \"v1\""));
    start();
    send("Accept-Encoding: gzip");
    Protocol.Answer retry = replay("Accept-Encoding: " + accepts);
    assertThat(retry.fields("Content-Encoding")).containsExactly("gzip");
    assertThat(retry.fields("ETag")).containsExactly("\"v1\"");
    assertThat(retry.body()).isEqualTo(new String(zipped, StandardCharsets.ISO_8859_1));
  }

  @Test
  void what_would_be_too_large_when_decoded_is_replayed_as_recorded() throws Exception {
    byte[] bomb = gzip("0".repeat(3_000_000));
    service.on("/p", call -> call.answer(200, bomb, "Content-Encoding: gzip"));
    start();
    send("Accept-Encoding: gzip");
    Protocol.Answer retry = replay("Accept-Encoding: identity");
    assertThat(retry.fields("Content-Encoding")).containsExactly("gzip");
    assertThat(retry.body()).hasSize(bomb.length);
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "br", "gzip, br"})
  void what_cannot_be_decoded_is_replayed_as_recorded(String coding) {
    service.on("/p", call -> call.answer(200, "not gzip", "Content-Encoding: " + coding));
    start();
    send("Accept-Encoding: gzip, br");
    Protocol.Answer retry = replay("Accept-Encoding: identity");
    assertThat(retry.fields("Content-Encoding")).containsExactly(coding);
    assertThat(retry.body()).isEqualTo("not gzip");
  }

  // Origins.

  private void allowing(String origin) {
    service.on(
        "/p",
        call ->
            call.answer(
                200,
                "x",
                "Access-Control-Allow-Origin: " + origin,
                "Access-Control-Allow-Credentials: true",
                "Access-Control-Expose-Headers: X-Mine",
                "Timing-Allow-Origin: " + origin,
                "Vary: Origin"));
  }

  @Test
  void a_page_can_read_its_own_replay() {
    allowing("https://shop.example");
    start();
    send("Origin: https://shop.example");
    Protocol.Answer retry = replay("Origin: https://shop.example");
    assertThat(retry.fields("Access-Control-Allow-Origin")).containsExactly("https://shop.example");
    assertThat(retry.fields("Access-Control-Allow-Credentials")).containsExactly("true");
    assertThat(retry.fields("Access-Control-Expose-Headers"))
        .containsExactly("X-Mine, Idempotent-Replayed, Retry-After");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Origin: https://other.example", "X-None: 1"})
  void another_page_gets_nothing_of_what_the_first_one_was_allowed(String origin) {
    allowing("https://shop.example");
    start();
    send("Origin: https://shop.example");
    Protocol.Answer retry = replay(origin);
    assertThat(retry.fields())
        .noneMatch(
            field -> field.name().toLowerCase(java.util.Locale.ROOT).startsWith("access-control-"))
        .noneMatch(field -> field.name().equalsIgnoreCase("Timing-Allow-Origin"));
    assertThat(retry.fields("Vary")).containsExactly("Origin");
  }

  @Test
  void a_page_of_an_origin_that_the_operator_names_reads_the_replay_as_itself() {
    allowing("https://shop.example");
    start(setup -> setup.corsOrigins = List.of("https://other.example"));
    send("Origin: https://shop.example");
    assertThat(replay("Origin: https://other.example").fields("Access-Control-Allow-Origin"))
        .containsExactly("https://other.example");
  }

  @Test
  void what_everybody_may_read_stays_so() {
    allowing("*");
    start();
    send("Origin: https://shop.example");
    assertThat(replay("Origin: https://other.example").fields("Access-Control-Allow-Origin"))
        .containsExactly("*");
  }

  // The moment.

  @Test
  void what_was_true_of_the_first_moment_or_caller_is_not_replayed() {
    service.on(
        "/p",
        call ->
            call.answer(
                200,
                "x",
                "Age: 10",
                "Expires: Thu, 01 Jan 2099 00:00:00 GMT",
                "Alt-Svc: h3=\":443\"",
                "Server-Timing: db;dur=53",
                "Clear-Site-Data: \"cookies\"",
                "Via: 1.1 inner",
                "Retry-After: 7",
                "Strict-Transport-Security: max-age=1",
                "X-Request-Id: r-1"));
    start();
    Protocol.Answer first = send();
    assertThat(first.fields("Age")).containsExactly("10");
    Protocol.Answer retry = replay();
    for (String name :
        List.of("Age", "Expires", "Alt-Svc", "Server-Timing", "Clear-Site-Data", "Date")) {
      assertThat(retry.fields(name)).as(name).isEmpty();
    }
    assertThat(retry.fields("Via")).doesNotContain("1.1 inner");
    assertThat(retry.fields("Retry-After")).containsExactly("7");
    assertThat(retry.fields("Strict-Transport-Security")).containsExactly("max-age=1");
    assertThat(retry.fields("X-Request-Id")).containsExactly("r-1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "public, max-age=60 | no-store",
        "private, s-maxage=60 | no-store",
        "no-store | no-store",
        "no-cache, no-store, max-age=0 | no-cache, no-store, max-age=0",
        "private | private"
      })
  void an_age_that_would_begin_anew_with_each_replay_is_not_replayed(String first, String then) {
    service.on("/p", call -> call.answer(200, "x", "Cache-Control: " + first));
    start();
    assertThat(send().fields("Cache-Control")).containsExactly(first);
    assertThat(replay().fields("Cache-Control")).containsExactly(then);
  }

  @Test
  void trailers_are_not_replayed() {
    service.on(
        "/p",
        call -> {
          call.body();
          call.head(200, "Transfer-Encoding: chunked", "Trailer: X-Sum");
          call.chunk("whole");
          call.send("0\r\nX-Sum: 1\r\n\r\n");
        });
    start();
    send("TE: trailers");
    Protocol.Answer retry = replay("TE: trailers");
    assertThat(retry.body()).isEqualTo("whole");
    assertThat(retry.fields("Trailer")).isEmpty();
    assertThat(retry.fields("X-Sum")).isEmpty();
  }
}
