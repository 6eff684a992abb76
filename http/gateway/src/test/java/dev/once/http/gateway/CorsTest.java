package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class CorsTest extends GatewayFixture {

  private static final String PAGE = "Origin: https://shop.example";

  private Protocol.Answer preflight(String path, String... headers) {
    String[] all = new String[headers.length + 2];
    all[0] = PAGE;
    all[1] = "Access-Control-Request-Method: POST";
    System.arraycopy(headers, 0, all, 2, headers.length);
    return Protocol.HTTP_1_1.send(gateway.port(), "OPTIONS", path, null, all);
  }

  private Protocol.Answer keyed(String path, String key) {
    return Protocol.HTTP_1_1.send(
        gateway.port(), "POST", path, "{}", PAGE, "Idempotency-Key: " + key);
  }

  private void allowedByTheService() {
    service.on(
        "/p",
        call ->
            call.answer(
                200,
                "x",
                "Access-Control-Allow-Origin: https://shop.example",
                "Access-Control-Allow-Headers: Content-Type",
                "Access-Control-Expose-Headers: X-Mine"));
  }

  @Test
  void the_key_header_is_added_to_what_the_service_allows() {
    allowedByTheService();
    start();
    Protocol.Answer answer = preflight("/p");
    assertThat(answer.fields("Access-Control-Allow-Headers"))
        .containsExactly("Content-Type, Idempotency-Key");
    assertThat(answer.fields("Access-Control-Allow-Origin"))
        .containsExactly("https://shop.example");
  }

  @Test
  void the_key_header_is_that_of_the_route_the_page_asks_for() {
    allowedByTheService();
    start(setup -> setup.route("POST /p", "header", "X-Idempotency-Key"));
    assertThat(preflight("/p").fields("Access-Control-Allow-Headers"))
        .containsExactly("Content-Type, X-Idempotency-Key");
  }

  @Test
  void a_key_header_that_the_service_allows_already_is_not_added_twice() {
    service.on(
        "/p",
        call ->
            call.answer(
                204,
                "",
                "Access-Control-Allow-Origin: *",
                "Access-Control-Allow-Headers: content-type,idempotency-key"));
    start();
    assertThat(preflight("/p").fields("Access-Control-Allow-Headers"))
        .containsExactly("content-type,idempotency-key");
  }

  @Test
  void what_the_service_does_not_allow_is_not_allowed() {
    service.on("/p", call -> call.answer(403, "no"));
    start();
    Protocol.Answer answer = preflight("/p");
    assertThat(answer.status()).isEqualTo(403);
    assertThat(answer.fields("Access-Control-Allow-Headers")).isEmpty();
    assertThat(answer.fields("Access-Control-Allow-Origin")).isEmpty();
  }

  @Test
  void the_marker_can_be_read_by_pages_that_may_read_the_answer() {
    allowedByTheService();
    start();
    for (int i = 0; i < 2; i++) {
      assertThat(keyed("/p", "k-1").fields("Access-Control-Expose-Headers"))
          .containsExactly("X-Mine, Idempotent-Replayed, Retry-After");
    }
  }

  @Test
  void preflights_of_origins_that_the_operator_names_are_answered_here() {
    start(setup -> setup.corsOrigins = List.of("https://shop.example"));
    Protocol.Answer answer =
        preflight("/p", "Access-Control-Request-Headers: content-type, idempotency-key");
    assertThat(answer.status()).isEqualTo(204);
    assertThat(answer.fields("Access-Control-Allow-Origin"))
        .containsExactly("https://shop.example");
    assertThat(answer.fields("Access-Control-Allow-Methods")).containsExactly("POST");
    assertThat(answer.fields("Access-Control-Allow-Headers"))
        .containsExactly("content-type, idempotency-key");
    assertThat(answer.fields("Access-Control-Allow-Credentials")).containsExactly("true");
    assertThat(answer.fields("Vary")).containsExactly("Origin");
    assertThat(service.calls()).isEmpty();
  }

  @Test
  void preflights_of_other_origins_are_the_services() {
    start(setup -> setup.corsOrigins = List.of("https://other.example"));
    Protocol.Answer answer = preflight("/p");
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.fields("Access-Control-Allow-Origin")).isEmpty();
  }

  @Test
  void all_origins_may_be_allowed_but_not_with_their_cookies() {
    start(setup -> setup.corsOrigins = List.of("*"));
    Protocol.Answer answer = preflight("/p");
    assertThat(answer.status()).isEqualTo(204);
    assertThat(answer.fields("Access-Control-Allow-Origin"))
        .containsExactly("https://shop.example");
    assertThat(answer.fields("Access-Control-Allow-Credentials")).isEmpty();
  }

  @Test
  void refusals_can_be_read_by_pages_that_the_operator_names() {
    start(setup -> setup.corsOrigins = List.of("https://shop.example"));
    Protocol.Answer answer =
        Protocol.HTTP_1_1.send(gateway.port(), "POST", "/p", "{}", PAGE, "Idempotency-Key: a b");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.fields("Access-Control-Allow-Origin"))
        .containsExactly("https://shop.example");
    service.close();
    assertThat(keyed("/p", "k-1").fields("Access-Control-Allow-Origin"))
        .containsExactly("https://shop.example");
  }

  @Test
  void without_an_origin_nothing_is_added() {
    start(setup -> setup.corsOrigins = List.of("*"));
    Protocol.Answer answer = Protocol.HTTP_1_1.pay(gateway.port(), "/p", "k-1");
    assertThat(answer.fields()).noneMatch(field -> field.name().startsWith("Access-Control"));
  }

  @Test
  void an_options_request_that_is_no_preflight_passes() {
    start(setup -> setup.corsOrigins = List.of("*"));
    assertThat(Protocol.HTTP_1_1.send(gateway.port(), "OPTIONS", "/p", null, PAGE).status())
        .isEqualTo(201);
  }
}
