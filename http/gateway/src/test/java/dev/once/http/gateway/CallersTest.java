package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.gateway.config.Configuration;
import dev.once.http.gateway.config.Sources;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One caller never gets the recorded answer of another; settings are as the command line's. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class CallersTest extends GatewayFixture {

  /** As the command line would start it: flags and their values take turns. */
  private void startWith(String... flags) {
    Map<String, List<String>> all = new HashMap<>();
    all.put("upstream", List.of("http://localhost:" + service.port()));
    all.put("listen", List.of("localhost:0"));
    all.put("admin", List.of("localhost:0"));
    all.put("store", List.of(sqlite()));
    for (int i = 0; i < flags.length; i += 2) {
      all.put(flags[i], List.of(flags[i + 1]));
    }
    Sources sources = new Sources(all, null, Map.of());
    gateway = closing(Gateway.start(Configuration.load(sources).settings()));
  }

  /** A payment with the same key and body each time, and these header lines. */
  private RawClient.Answer payWith(String... lines) throws Exception {
    return payAt("h", lines);
  }

  private RawClient.Answer payAt(String host, String... lines) throws Exception {
    StringBuilder head = new StringBuilder("POST /payments HTTP/1.1\r\nHost: " + host + "\r\n");
    for (String line : lines) {
      head.append(line).append("\r\n");
    }
    return raw().send(head + "Idempotency-Key: k-1\r\nContent-Length: 2\r\n\r\n{}").read();
  }

  private void assertCallerUnknown(RawClient.Answer answer, String... told) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(400);
    assertThat(answer.body()).contains("#caller-unknown\"");
    assertThat(List.of(told)).allMatch(answer.body()::contains);
    assertThat(service.calls()).isEmpty();
  }

  private static void assertRan(RawClient.Answer answer, int number) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    assertThat(answer.body()).startsWith(number + " ");
    assertThat(answer.fields("Idempotent-Replayed")).isEmpty();
  }

  private static void assertReplayed(RawClient.Answer answer, int number) {
    assertThat(answer.body()).startsWith(number + " ");
    assertThat(answer.fields("Idempotent-Replayed")).containsExactly("true");
  }

  @ParameterizedTest
  @ValueSource(strings = {"X-API-Key: ", "Cookie: sid=", "X-Nothing: "})
  void whoever_shows_no_authorization_is_refused_and_told_which_flags_there_are(String identity)
      throws Exception {
    startWith();
    for (String who : new String[] {"alice", "mallory"}) {
      assertCallerUnknown(
          payWith(identity + who),
          "Authorization",
          "--user-header",
          "--user-cookie",
          "--anonymous");
    }
    assertCallerUnknown(payWith("Authorization: "));
    assertCallerUnknown(payWith("Authorization:    "));
  }

  @Test
  void whoever_shows_one_has_a_space_of_its_own() throws Exception {
    startWith();
    assertRan(payWith("Authorization: Bearer alice"), 1);
    assertRan(payWith("Authorization: Bearer mallory"), 2);
    assertReplayed(payWith("Authorization: Bearer alice"), 1);
  }

  @Test
  void a_refused_caller_is_not_asked_for_its_body_and_is_counted() throws Exception {
    startWith();
    RawClient client = raw();
    String waiting = "Content-Length: 9\r\nExpect: 100-continue\r\n\r\n";
    client.send("POST /p HTTP/1.1\r\nHost: h\r\nIdempotency-Key: k-1\r\n" + waiting);
    assertCallerUnknown(client.read());
    assertThat(send(java.net.http.HttpRequest.newBuilder(admin("/metrics"))).body())
        .contains("idempotency_keys_missing_total 1.0");
  }

  @Test
  void without_a_key_nobody_is_asked_who_they_are() throws Exception {
    startWith();
    String request = "POST /payments HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}";
    assertRan(raw().send(request).read(), 1);
  }

  @Test
  void a_caller_without_the_users_header_has_nobodys_space() throws Exception {
    startWith("user-header", "X-User");
    assertCallerUnknown(payWith("Authorization: Bearer t"), "X-User");
    assertCallerUnknown(payWith("X-User: "));
    assertCallerUnknown(payWith("X-User:   "));
    assertCallerUnknown(payWith("X-User: alice", "X-User: mallory"), "X-User");
    assertCallerUnknown(payWith("X-User: alice", "X-User: "));
    assertRan(payWith("X-User: alice"), 1);
    assertRan(payWith("X-User: mallory"), 2);
    assertReplayed(payWith("X-User: alice", "Authorization: new"), 1);
  }

  @Test
  void a_caller_without_the_users_cookie_has_nobodys_space() throws Exception {
    startWith("user-cookie", "sid");
    assertCallerUnknown(payWith("Cookie: other=1"), "sid");
    assertCallerUnknown(payWith("Cookie: sid="));
    assertCallerUnknown(payWith("Cookie: sid=\"\""));
    assertCallerUnknown(payWith("Cookie: sid"));
    assertCallerUnknown(payWith("Cookie: xsid=alice"));
    assertCallerUnknown(payWith("Cookie: sid=alice; sid=mallory"), "sid");
    assertCallerUnknown(payWith("Cookie: sid=alice", "Cookie: sid=mallory"));
    assertCallerUnknown(payWith("Cookie: sid=alice; sid =mallory"));
    assertRan(payWith("Cookie: sid=alice"), 1);
    assertReplayed(payWith("Cookie: sid=\"alice\""), 1);
    assertReplayed(payWith("Cookie: sid=alice; a=1; sid=alice"), 1);
    assertRan(payWith("Cookie: sid=mallory"), 2);
  }

  @Test
  void two_credentials_are_one_too_many_even_where_none_is_needed() throws Exception {
    startWith("anonymous", "true");
    assertCallerUnknown(payWith("Authorization: Bearer alice", "Authorization: Bearer mallory"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "user-header", "user-cookie"})
  void callers_without_an_identity_share_one_space_only_where_the_operator_says_so(String source)
      throws Exception {
    if (source.isEmpty()) {
      startWith("anonymous", "true");
    } else {
      startWith("anonymous", "true", source, "who");
    }
    String name =
        switch (source) {
          case "user-header" -> "who: ";
          case "user-cookie" -> "Cookie: who=";
          default -> "Authorization: ";
        };
    assertRan(payWith(), 1);
    assertReplayed(payWith("X-API-Key: mallory"), 1);
    assertRan(payWith(name + "alice"), 2);
    assertRan(payWith(name + "bob"), 3);
    assertReplayed(payWith(name + "alice"), 2);
    assertReplayed(payWith(), 1);
  }

  @Test
  void an_api_key_can_tell_callers_apart_and_is_not_kept() throws Exception {
    startWith("user-header", "X-API-Key");
    assertRan(payWith("X-API-Key: alices-secret-api-key"), 1);
    assertRan(payWith("X-API-Key: mallory"), 2);
    assertReplayed(payWith("X-API-Key: alices-secret-api-key"), 1);
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
            .as(file.toString())
            .doesNotContain("alices-secret-api-key");
      }
    }
  }

  @Test
  void another_host_is_another_request_of_the_same_key() throws Exception {
    startWith("anonymous", "true");
    assertRan(payAt("a.example"), 1);
    for (String same : new String[] {"A.Example", "a.example.", "a.example:80", "a.example:443"}) {
      assertReplayed(payAt(same), 1);
    }
    RawClient.Answer other = payAt("b.example");
    assertThat(other.status()).isEqualTo(422);
    assertThat(other.body()).contains("#key-reused");
    assertThat(service.calls()).hasSize(1);
  }

  @Test
  void a_retry_over_another_version_of_http_is_for_the_same_host() throws Exception {
    startWith("anonymous", "true");
    String[] keyed = {"Idempotency-Key: k-1"};
    Protocol.HTTP_1_1.send(gateway.port(), "POST", "/payments", "{}", keyed);
    assertThat(
            Protocol.H2C
                .send(gateway.port(), "POST", "/payments", "{}", keyed)
                .fields("Idempotent-Replayed"))
        .containsExactly("true");
  }
}
