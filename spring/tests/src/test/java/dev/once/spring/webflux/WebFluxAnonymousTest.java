package dev.once.spring.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.spring.RunningApplication;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Spring Security may give all who are not authenticated one principal: they are not one user. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WebFluxAnonymousTest {

  @RestController
  static class Shop {
    @PostMapping("/orders")
    Mono<String> order(@RequestHeader("X-User") String user) {
      return Mono.just("for " + user);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Open {
    @Bean
    SecurityWebFilterChain chain(ServerHttpSecurity http) {
      return http.csrf(csrf -> csrf.disable())
          .authorizeExchange(exchanges -> exchanges.anyExchange().permitAll())
          .anonymous(Customizer.withDefaults())
          .build();
    }
  }

  private static String order(RunningApplication shop, String user)
      throws IOException, InterruptedException {
    return shop.post(
            "/orders", "{}", "Idempotency-Key", "k", "X-User", user, "Authorization", "Key " + user)
        .body();
  }

  @Test
  void they_are_told_apart_by_their_credentials() throws Exception {
    try (RunningApplication shop =
        RunningApplication.securedReactive(Map.of(), Shop.class, Open.class)) {
      assertThat(order(shop, "ann")).isEqualTo("for ann");
      assertThat(order(shop, "bob")).isEqualTo("for bob");
    }
  }

  @Test
  void or_by_the_header_that_names_them() throws Exception {
    Map<String, Object> properties = Map.of("once.scope.user-header", "X-User");
    try (RunningApplication shop =
        RunningApplication.securedReactive(properties, Shop.class, Open.class)) {
      assertThat(order(shop, "ann")).isEqualTo("for ann");
      assertThat(order(shop, "bob")).isEqualTo("for bob");
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OpenWithPasswords {
    @Bean
    SecurityWebFilterChain chain(ServerHttpSecurity http) {
      return http.csrf(csrf -> csrf.disable())
          .authorizeExchange(exchanges -> exchanges.anyExchange().permitAll())
          .httpBasic(Customizer.withDefaults())
          .build();
    }
  }

  @RestController
  static class Counter {
    private final AtomicInteger orders = new AtomicInteger();

    @PostMapping("/counted")
    Mono<String> order() {
      return Mono.fromSupplier(() -> "order " + orders.incrementAndGet());
    }
  }

  @Test
  void whoever_sends_a_principals_name_gets_none_of_the_principals_answers() throws Exception {
    Map<String, Object> properties =
        Map.of(
            "spring.security.user.name",
            "ann",
            "spring.security.user.password",
            "secret",
            "once.scope.user-header",
            "X-User");
    String password =
        Base64.getEncoder().encodeToString("ann:secret".getBytes(StandardCharsets.UTF_8));
    String[] ann = {"Idempotency-Key", "k", "Authorization", "Basic " + password};
    String[] stranger = {"Idempotency-Key", "k", "X-User", "ann"};
    try (RunningApplication shop =
        RunningApplication.securedReactive(properties, Counter.class, OpenWithPasswords.class)) {
      assertThat(shop.post("/counted", "{}", ann).body()).isEqualTo("order 1");
      assertThat(shop.post("/counted", "{}", stranger).body()).isEqualTo("order 2");
      assertThat(shop.post("/counted", "{}", ann).body()).isEqualTo("order 1");
      assertThat(shop.post("/counted", "{}", stranger).body()).isEqualTo("order 2");
    }
  }
}
