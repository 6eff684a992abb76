package dev.once.http.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.http.conformance.report.Rule;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What cannot be checked is refused in one line that says what to do. */
class TargetTest {

  private static void refused(ThrowingCallable action, String message) {
    assertThatThrownBy(action).isInstanceOf(TargetException.class).hasMessage(message);
  }

  @Test
  @DisplayName("a URL that is not for the web is refused")
  void a_url_that_is_not_for_the_web_is_refused() {
    for (String url :
        new String[] {
          "ftp://host/", "orders", "http:///x", "http://h/#x", "http://u:p@h/", "h t"
        }) {
      refused(
          () -> Target.at(url),
          "url: " + url + " (expected: an http:// or https:// URL without user and fragment)");
    }
    refused(
        () -> Target.at("http://host").countUrl("file:///etc/passwd"),
        "count-url: file:///etc/passwd (expected: an http:// or https:// URL without user and fragment)");
  }

  @Test
  @DisplayName("options that make no sense are refused with what is expected")
  void options_that_make_no_sense_are_refused_with_what_is_expected() {
    TargetBuilder target = Target.at("http://localhost/{unique}");
    refused(() -> target.method("GET"), "method: GET (expected: POST, PUT, PATCH or DELETE)");
    refused(() -> target.header("no colon"), "header: no colon (expected: Name: value)");
    refused(() -> target.header("a b: c"), "header: a b (expected: the name of a header field)");
    refused(
        () -> target.header("Host: x"),
        "header: Host (expected: a field other than Connection, Content-Length, Expect, Host,"
            + " Transfer-Encoding, Upgrade)");
    refused(
        () -> target.header("X-A: a\r\nX-B: b"),
        "header: X-A (expected: a value of visible ASCII characters)");
    refused(() -> target.keyHeader(""), "key-header:  (expected: the name of a header field)");
    refused(
        () -> target.busy("409,x"),
        "busy: 409,x (expected: statuses from 400 to 499, with commas)");
    refused(
        () -> Mismatch.parse("never"),
        "mismatch: never (expected: statuses from 400 to 499, with commas)");
    refused(
        () -> KeyStyle.named("ulid"), "key-style: ulid (expected: one of quoted, uuid, composite)");
    refused(() -> Required.named("x"), "required: x (expected: one of yes, no, unknown)");
    refused(() -> ErrorPolicy.named("x"), "errors: x (expected: one of replayed, released)");
    refused(() -> Protocol.named("3"), "http: 3 (expected: 1.1 or 2)");
    refused(() -> target.parallel(1), "parallel: 1 (expected: 2 to 100)");
    refused(() -> target.requestTimeout(Duration.ZERO), "request-timeout: PT0S (expected: > 0)");
    refused(
        () -> target.countPointer("total"),
        "count-pointer: total (expected: a JSON pointer such as /total)");
    refused(
        () -> target.countPointer("/total").build(),
        "count-pointer: /total (expected: with a count-url)");
  }

  @Test
  @DisplayName("the words of flags are read")
  void the_words_of_flags_are_read() {
    assertThat(KeyStyle.named("composite")).isEqualTo(KeyStyle.COMPOSITE);
    assertThat(Required.named("yes")).isEqualTo(Required.YES);
    assertThat(ErrorPolicy.named("released")).isEqualTo(ErrorPolicy.RELEASED);
    assertThat(Protocol.named("2")).isEqualTo(Protocol.HTTP_2);
    assertThat(Mismatch.parse("executed")).isEqualTo(Mismatch.EXECUTED);
    assertThat(Mismatch.parse("400, 422").statuses()).isEqualTo(Set.of(400, 422));
  }

  @Test
  @DisplayName("a server that is not there is said to be not there")
  void a_server_that_is_not_there_is_said_to_be_not_there() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    String url = "http://localhost:" + port + "/orders";
    refused(
        () -> ConformanceRuns.run(Target.at(url)),
        "url: " + url + " connection refused (expected: a server that answers)");
    refused(
        () -> ConformanceRuns.run(Target.at("http://once.invalid/")),
        "url: http://once.invalid/ no such host (expected: a server that answers)");
  }

  @Test
  @DisplayName("a server that never answers is given up after the time-out")
  void a_server_that_never_answers_is_given_up_after_the_time_out() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String url = "http://localhost:" + silent.getLocalPort() + "/";
      refused(
          () -> ConformanceRuns.run(Target.at(url).requestTimeout(Duration.ofMillis(200))),
          "url: " + url + " no answer within 200 ms (expected: a server that answers)");
    }
  }

  @Test
  @DisplayName("a counter without a number is refused")
  void a_counter_without_a_number_is_refused() {
    try (JdkFront server = JdkFront.of(ServerBehaviour.IETF)) {
      refused(
          () -> ConformanceRuns.run(server.target().countUrl(server.url("/text"))),
          "count-url: "
              + server.url("/text")
              + " answered 200, content-type: text/plain, no number here"
              + " (expected: a number, or a JSON array)");
      assertThatThrownBy(
              () ->
                  ConformanceRuns.run(
                      server.target().countUrl(server.url("/stats")).countPointer("/data/none")))
          .isInstanceOf(TargetException.class)
          .hasMessageEndingWith("(expected: JSON with a number or an array at /data/none)");
    }
  }

  @Test
  @DisplayName("an endpoint that refuses a first request is not checked further")
  void an_endpoint_that_refuses_a_first_request_is_not_checked_further() {
    try (JdkFront server = JdkFront.of(in -> Outgoing.of(401, "text/plain", "who are you?"))) {
      assertThatThrownBy(() -> ConformanceRuns.run(Target.at(server.url("/orders"))))
          .isInstanceOf(TargetException.class)
          .hasMessageStartingWith("url: " + server.url("/orders") + " answered 401, ")
          .hasMessageContaining("who are you? to a first request (expected: a status below 400;")
          .hasMessageContaining("--header");
    }
  }

  @Test
  @DisplayName("an interrupted run ends, and the thread stays interrupted")
  void an_interrupted_run_ends_and_the_thread_stays_interrupted() {
    Listener interrupting =
        new Listener() {
          @Override
          public void started(Rule rule, int number, int total) {
            Thread.currentThread().interrupt();
          }
        };
    try (JdkFront server = JdkFront.of(ServerBehaviour.IETF)) {
      Target target = Target.at(server.url("/orders")).build();
      assertThatThrownBy(() -> Conformance.run(target, interrupting))
          .isInstanceOf(CancellationException.class)
          .hasMessage("interrupted while checking draft-2.6-first");
      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
