package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Bytes;
import dev.once.http.semantics.RefusalFormat;
import dev.once.http.semantics.Reply;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** What refusals look like is the application's to say, in Spring MVC and in WebFlux. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class OwnRefusalsTest {

  private static final String KEY = "Idempotency-Key";

  /** A bean method whose key is not the request's. */
  @Service
  static class Charges {
    @Idempotent(key = "'one'", fingerprint = "#amount")
    public String charge(String amount) {
      return amount;
    }
  }

  @RestController
  static class Shop {
    private final Charges charges;

    Shop(Charges charges) {
      this.charges = charges;
    }

    @PostMapping("/orders")
    String order(@RequestBody String order) {
      return order;
    }

    @PostMapping("/charges")
    String charge(@RequestBody String amount) {
      return charges.charge(amount);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnEnvelope {
    @Bean
    RefusalFormat refusals() {
      return problem ->
          new Reply(
              problem.status(),
              problem.headers("text/plain"),
              Bytes.utf8("ours: " + problem.type().anchor()));
    }
  }

  private static RunningApplication start(
      boolean reactive, Map<String, Object> values, Class<?>... beans) {
    return reactive
        ? RunningApplication.reactive(values, beans)
        : RunningApplication.servlet(values, beans);
  }

  @ParameterizedTest(name = "reactive: {0}")
  @ValueSource(booleans = {false, true})
  void a_bean_words_the_refusals_of_filters_and_of_bean_methods(boolean reactive) throws Exception {
    try (RunningApplication shop =
        start(reactive, Map.of(), Shop.class, Charges.class, OwnEnvelope.class)) {
      shop.post("/orders", "a", KEY, "k");
      HttpResponse<String> reused = shop.post("/orders", "b", KEY, "k");
      assertThat(reused.statusCode()).isEqualTo(422);
      assertThat(reused.body()).isEqualTo("ours: key-reused");
      assertThat(reused.headers().firstValue("Content-Type").orElseThrow())
          .startsWith("text/plain");
      shop.post("/charges", "1");
      assertThat(shop.post("/charges", "2").body()).isEqualTo("ours: key-reused");
    }
  }

  @ParameterizedTest(name = "reactive: {0}")
  @ValueSource(booleans = {false, true})
  void a_route_answers_as_stripe_does(boolean reactive) throws Exception {
    Map<String, Object> values =
        Map.of("once.routes[0].match", "/charges", "once.routes[0].refusal-format", "stripe");
    try (RunningApplication shop = start(reactive, values, Shop.class, Charges.class)) {
      shop.post("/charges", "1");
      HttpResponse<String> method = shop.post("/charges", "2");
      assertThat(method.body()).startsWith("{\"error\":{\"type\":\"idempotency_error\"");
      assertThat(method.headers().firstValue("Stripe-Should-Retry")).contains("false");
      HttpResponse<String> filter = shop.post("/charges", "1", KEY, "");
      assertThat(filter.body()).startsWith("{\"error\":{\"type\":\"invalid_request_error\"");
      assertThat(shop.post("/orders", "a", KEY, "").body()).contains("\"retry\":\"new-key\"");
    }
  }
}
