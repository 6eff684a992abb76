package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.semantics.HttpProfile;
import java.net.URI;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What clients are told, and in which words. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class RefusalsTest extends GatewayFixture {

  @Test
  void under_the_stripe_profile_another_request_gets_stripe_s_error() throws Exception {
    start(setup -> setup.base = HttpProfile.STRIPE.policy());
    send(post("/v1/charges", "k", "a"));
    HttpResponse<String> reused = send(post("/v1/charges", "k", "b"));
    assertThat(reused.statusCode()).isEqualTo(400);
    assertThat(reused.headers().firstValue("Content-Type")).contains("application/json");
    assertThat(reused.headers().firstValue("Stripe-Should-Retry")).contains("false");
    assertThat(reused.body())
        .startsWith("{\"error\":{\"type\":\"idempotency_error\",\"code\":\"key_reused\"");
  }

  @Test
  void stripe_s_libraries_need_an_error_also_where_there_is_no_key() throws Exception {
    start(
        setup -> {
          setup.base = HttpProfile.STRIPE.policy();
          setup.upstream = URI.create("http://localhost:1"); // nobody listens
        });
    HttpResponse<String> unreachable = send(post("/v1/charges", null, "a"));
    assertThat(unreachable.statusCode()).isEqualTo(502);
    assertThat(unreachable.body()).startsWith("{\"error\":{\"type\":\"api_error\"");
    assertThat(unreachable.headers().firstValue("Stripe-Should-Retry")).isEmpty();
  }

  @Test
  void a_key_with_spaces_in_quotes_names_an_operation() throws Exception {
    start();
    assertThat(send(post("/spaced", "\"order 7\"", "a")).statusCode()).isEqualTo(201);
    assertThat(send(post("/spaced", "\"order 7\"", "b")).statusCode()).isEqualTo(422);
    assertThat(send(post("/spaced", "\"order 8\"", "b")).statusCode()).isEqualTo(201);
  }
}
