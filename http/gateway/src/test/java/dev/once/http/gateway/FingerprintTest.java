package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which two requests with one key are the same, and which are not. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class FingerprintTest extends GatewayFixture {

  private static final String JSON = "Content-Type: application/json";
  private static final String FORM = "Content-Type: application/x-www-form-urlencoded";

  private Protocol.Answer ask(String body, String... headers) {
    String[] all = java.util.Arrays.copyOf(headers, headers.length + 1);
    all[headers.length] = "Idempotency-Key: k-1";
    return Protocol.HTTP_1_1.send(gateway.port(), "POST", "/p", body, all);
  }

  private void assertSame(Protocol.Answer retry) {
    assertThat(retry.status()).as(retry.body()).isEqualTo(201);
    assertThat(retry.fields("Idempotent-Replayed")).containsExactly("true");
    assertThat(service.calls("/p")).hasSize(1);
  }

  private void assertAnother(Protocol.Answer retry) {
    assertThat(retry.status()).as(retry.body()).isEqualTo(422);
    assertThat(service.calls("/p")).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "9007199254740993.0, 9007199254740992.0",
    "9007199254740993.0, 9007199254740992",
    "0.1000000000000000055511151231257827, 0.1",
    "12345678901234567.89, 12345678901234567.88",
    "1.00000000000000000001, 1",
    "1e-400, 2e-400",
    "9223372036854775808, 9223372036854776000.0"
  })
  void numbers_that_differ_beyond_the_precision_of_a_double_are_two_requests(
      String one, String another) {
    start();
    assertThat(ask("{\"amount\":" + one + "}", JSON).status()).isEqualTo(201);
    assertAnother(ask("{\"amount\":" + another + "}", JSON));
  }

  @ParameterizedTest
  @CsvSource({"0.10, 0.1", "1e2, 100", "1.50E1, 15", "9007199254740992.0, 9007199254740992"})
  void a_number_in_another_spelling_is_the_same_request(String one, String another) {
    start();
    ask("{\"amount\":" + one + "}", JSON);
    assertSame(ask("{\"amount\":" + another + "}", JSON));
  }

  @ParameterizedTest
  @CsvSource({
    "application/merge-patch+json, application/json",
    "application/json, text/plain",
    "application/vnd.api+json; version=1, application/vnd.api+json; version=2",
    "text/plain; charset=utf-8, text/plain; charset=utf-16",
    "text/plain; a=\"1;charset=utf-16\", text/plain;a=1;charset=utf-16"
  })
  void the_same_bytes_of_another_type_are_another_request(String one, String another) {
    start();
    assertThat(ask("{\"a\":null}", "Content-Type: " + one).status()).isEqualTo(201);
    assertAnother(ask("{\"a\":null}", "Content-Type: " + another));
  }

  @ParameterizedTest
  @CsvSource({
    "application/json, application/json; charset=utf-8",
    "application/json, Application/JSON;charset=\"UTF-8\"",
    "application/merge-patch+json, application/merge-patch+json; charset=utf-8"
  })
  void a_charset_that_json_has_anyway_does_not_make_another_request(String one, String another) {
    start();
    ask("{\"a\":null}", "Content-Type: " + one);
    assertSame(ask("{ \"a\": null }", "Content-Type: " + another));
  }

  @Test
  void the_same_bytes_in_another_encoding_are_another_request() {
    start();
    assertThat(ask("x", "Content-Type: text/plain", "Content-Encoding: gzip").status())
        .isEqualTo(201);
    assertAnother(ask("x", "Content-Type: text/plain"));
  }

  @ParameterizedTest
  @CsvSource({
    "i[][n]=1&i[][q]=2&i[][n]=3, i[][n]=1&i[][n]=3&i[][q]=2",
    "i%5B%5D%5Bn%5D=1&i[][q]=2&i[][n]=3, i[][n]=1&i[][n]=3&i[][q]=2",
    "a=1&a[]=2, a[]=2&a=1",
    "a.b=1&a_b=2, a_b=2&a.b=1",
    "a=1&A=2, A=2&a=1",
    "a=1&b, a=1&b=",
    "a=1;b=2&b=3, b=3&a=1;b=2"
  })
  void forms_that_some_server_reads_in_two_ways_are_two_requests(String one, String another) {
    start();
    assertThat(ask(one, FORM).status()).isEqualTo(201);
    assertAnother(ask(another, FORM));
  }

  @Test
  void plain_names_of_a_form_may_come_in_any_order() {
    start();
    ask("b=1+2&a=1", FORM);
    assertSame(ask("a=1&b=1%202", FORM));
  }

  private static String parts(String boundary, String text) {
    return "--%1$s\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n%2$s\r\n--%1$s--\r\n"
        .formatted(boundary, text);
  }

  @Test
  void a_multipart_request_with_a_new_boundary_is_the_same_request() {
    start();
    ask(parts("first", "text"), "Content-Type: multipart/form-data; boundary=first");
    assertSame(ask(parts("next", "text"), "Content-Type: multipart/form-data; boundary=next"));
  }

  @Test
  void a_multipart_request_with_other_parts_is_another_request() {
    start();
    ask(parts("first", "text"), "Content-Type: multipart/form-data; boundary=first");
    assertAnother(
        ask(parts("first", "texts"), "Content-Type: multipart/form-data; boundary=first"));
  }
}
