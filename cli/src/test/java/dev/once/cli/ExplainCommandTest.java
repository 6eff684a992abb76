package dev.once.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ExplainCommandTest {

  private static final String REQUEST =
      """
      POST /payments?x=1 HTTP/1.1
      Host: api.example
      Authorization: Bearer t
      Content-Type: application/json
      Idempotency-Key: "k1"

      {"b": 1, "a": 2.0}
      """;

  @TempDir Path folder;

  @Test
  void a_protected_request_is_shown_with_key_scope_body_and_fingerprint() {
    Run run = Run.with(REQUEST, "explain");
    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isZero();
    assertThat(run.outLines())
        .contains(
            "request      POST /payments?x=1",
            "route        everything else",
            "profile      ietf",
            "verdict      protected: it runs once, and a retry gets its answer",
            "key          k1",
            "canonical    {\"a\":2,\"b\":1}",
            "             over method, host, path, query, type and canonical body",
            "  retention        24h                  profile ietf")
        .anyMatch(line -> line.matches("user +sha256:[0-9a-f]{64} +by Authorization, hashed"))
        .anyMatch(line -> line.matches("in logs +\\*{4}#[0-9a-f]{6}"))
        .anyMatch(line -> line.matches("fingerprint +[0-9a-f]{64} \\(version 1\\)"))
        .anyMatch(line -> line.matches("body +\\d+ bytes, taken as JSON"));
  }

  @Test
  void a_quoted_and_a_bare_key_and_both_line_ends_mean_the_same() {
    String bare =
        REQUEST.replace("\"k1\"", "k1").replace("\n", "\r\n").replace("2.0}\r\n", "2.0}\n");
    assertThat(Run.with(bare, "explain").out()).isEqualTo(Run.with(REQUEST, "explain").out());
  }

  @Test
  void curl_like_flags_mean_the_same_as_the_request() {
    Run flags =
        Run.of(
            "explain",
            "-H",
            "Authorization: Bearer t",
            "-H",
            "Idempotency-Key: \"k1\"",
            "--json",
            "{\"b\": 1, \"a\": 2.0}\n",
            "http://api.example/payments?x=1");
    assertThat(flags.out()).isEqualTo(Run.with(REQUEST, "explain").out());
  }

  @Test
  void the_canonical_body_comes_alone_and_byte_for_byte() {
    assertThat(Run.with(REQUEST, "explain", "--canonical").bytes())
        .isEqualTo("{\"a\":2,\"b\":1}".getBytes(StandardCharsets.UTF_8));
    String raw = "POST / HTTP/1.1\nContent-Type: text/plain\n\n  a\u00e4\n\n";
    assertThat(Run.with(raw, "explain", "--canonical").bytes())
        .isEqualTo("  a\u00e4\n\n".getBytes(StandardCharsets.UTF_8));
    assertThat(Run.of("explain", "--canonical", "-d", "b=2&a=1", "/x").out()).isEqualTo("a=1&b=2");
    assertThat(Run.of("explain", "--canonical", "/x").bytes()).isEmpty();
  }

  @Test
  void a_refused_request_is_shown_with_its_problem_and_the_rule() {
    Run run = Run.with(REQUEST, "explain", "--profile", "booking");
    assertThat(run.code()).isZero();
    assertThat(run.out())
        .contains("verdict      refused\nanswer       400 {\"type\":\"about:blank#")
        .contains("#key-malformed")
        .contains("decided by\n  header          Idempotency-Key  profile booking\n");
    assertThat(Run.of("explain", "-X", "POST", "--required", "/x").out())
        .contains("#key-missing")
        .containsPattern("\\* required +true +--required");
  }

  @Test
  void the_line_that_decides_is_named() throws Exception {
    Path file = folder.resolve("once.yaml");
    Files.writeString(file, "routes:\n  - match: POST /callbacks/**\n    enabled: false\n");
    Run run = Run.of("explain", "--config", file.toString(), "-X", "POST", "/callbacks/7");
    assertThat(run.outLines())
        .contains(
            "route        POST /callbacks/**   " + file + ":2",
            "verdict      passes as it is: Once is switched off here",
            "* enabled  false  " + file + ":3");
  }

  @Test
  void it_is_said_why_a_request_passes() {
    assertThat(Run.of("explain", "/x").out()).contains("passes as it is: GET is not in scope");
    assertThat(Run.of("explain", "-X", "POST", "/x").out())
        .contains("passes as it is: it has no key, and needs none");
    assertThat(Run.of("explain", "-X", "POST", "--profile", "srs016", "/x").out())
        .contains("passes as it is: it has no body");
  }

  @Test
  void a_missing_tenant_and_a_body_that_is_too_large_are_told() {
    Run tenant =
        Run.of("explain", "-H", "Idempotency-Key: k", "-d", "a=1", "--tenant-header", "X-T", "/x");
    assertThat(tenant.out()).contains("#tenant-missing", "  tenant-header  X-T (--tenant-header)");
    Run large =
        Run.of(
            "explain",
            "--anonymous",
            "-H",
            "Idempotency-Key: k",
            "-d",
            "a=1",
            "--max-request-body",
            "2",
            "/x");
    assertThat(large.out()).contains("413", "#body-too-large", "* max-request-body  2");
  }

  @Test
  void a_caller_who_cannot_be_told_from_others_is_refused_and_the_settings_are_named() {
    String[] words = {"explain", "-H", "Idempotency-Key: k", "-d", "a=1", "/x"};
    assertThat(Run.of(words).outLines())
        .contains(
            "verdict      refused",
            "  user-header  none (default)",
            "  user-cookie  none (default)",
            "  anonymous  false (default)")
        .anyMatch(line -> line.contains("#caller-unknown"));
    Run anonymous = Run.of("explain", "--anonymous", "-H", "Idempotency-Key: k", "-d", "a=1", "/x");
    assertThat(anonymous.out()).contains("user         none   by anonymous true (--anonymous)");
  }

  @Test
  void a_path_that_servers_read_in_several_ways_is_refused() throws Exception {
    Path file = folder.resolve("once.yaml");
    Files.writeString(file, "routes:\n  - match: POST /payments/**\n    required: true\n");
    Run run = Run.of("explain", "--config", file.toString(), "-X", "POST", "/%70ayments");
    assertThat(run.out()).contains("verdict      refused", "#ambiguous-request", "several ways");
  }

  @Test
  void under_leads_key_and_request_are_the_identity() {
    Run run =
        Run.of(
            "explain",
            "--profile",
            "leads",
            "--anonymous",
            "-H",
            "X-Idempotency-Key: 550e8400-e29b-41d4-a716-446655440000",
            "-d",
            "a=1",
            "/api/leads");
    assertThat(run.out()).containsPattern("identity +the key and the request:[0-9a-f]{64}");
  }

  @Test
  void a_content_length_cuts_what_an_editor_added_and_is_checked() {
    String request = "POST /x HTTP/1.1\nContent-Type: text/plain\nContent-Length: 2\n\nab\n";
    assertThat(Run.with(request, "explain", "--canonical").out()).isEqualTo("ab");
    Run tooFew = Run.with(request.replace("h: 2", "h: 9"), "explain");
    assertThat(tooFew.code()).isEqualTo(2);
    assertThat(tooFew.errLines())
        .containsExactly(
            "Content-Length: 9 (expected: at most 3, what there is; or no such header)");
  }

  @Test
  void what_is_no_request_is_refused_in_one_line() {
    assertThat(Run.with("hello\n", "explain").errLines())
        .containsExactly("request line: 'hello' (expected: such as POST /payments HTTP/1.1)");
    assertThat(Run.with("POST /x HTTP/1.1\nnonsense\n\n", "explain").errLines())
        .containsExactly("header: 'nonsense' (expected: Name: value)");
    assertThat(Run.with("", "explain").errLines())
        .containsExactly("request: nothing on standard input (see once explain --help)");
    assertThat(Run.of("explain", "-X", "POST").errLines())
        .containsExactly("-X: without a URL (expected: once explain -X ... URL)");
    assertThat(Run.of("explain", "-d", "@no-such-file", "/x").errLines())
        .containsExactly(
            "-d: '@no-such-file' (expected: a text, or @ and a file that can be read; there is none"
                + " in %s)".formatted(Path.of("").toAbsolutePath()));
    assertThat(Run.of("explain", "-d", "@" + folder, "/x").errLines())
        .singleElement()
        .asString()
        .startsWith("-d: '@%s' (expected: a text, or @ and a file".formatted(folder));
    assertThat(Run.of("explain", "payments").errLines())
        .containsExactly(
            "'payments' (expected: a path such as /payments, or http://localhost:8080/payments)");
    assertThat(Run.with("POST /x HTTP/1.1\nTransfer-Encoding: chunked\n\n0\n\n", "explain").code())
        .isEqualTo(2);
  }

  @Test
  void the_whole_policy_is_shown_if_asked_for() {
    assertThat(Run.with(REQUEST, "explain", "--all").out())
        .contains("the whole policy\n", "max-stored-body");
  }

  @Test
  void a_body_may_come_from_a_file() throws Exception {
    Path file = folder.resolve("body.json");
    Files.writeString(file, "{\"b\":1,\"a\":2}");
    assertThat(Run.of("explain", "--canonical", "--json", "@" + file, "/x").out())
        .isEqualTo("{\"a\":2,\"b\":1}");
  }
}
