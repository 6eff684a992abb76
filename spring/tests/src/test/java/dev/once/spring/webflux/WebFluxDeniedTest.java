package dev.once.spring.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.spring.Running;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** A handler that denies access: Spring Security answers that, with a key as without one. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WebFluxDeniedTest {

  private static final AtomicInteger RUNS = new AtomicInteger();

  @RestController
  static class Shop {
    @PostMapping("/denied")
    Mono<String> denied() {
      RUNS.incrementAndGet();
      return Mono.error(new AccessDeniedException("not you"));
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Open {
    @Bean
    SecurityWebFilterChain chain(ServerHttpSecurity http) {
      return http.csrf(csrf -> csrf.disable())
          .authorizeExchange(exchanges -> exchanges.anyExchange().permitAll())
          .httpBasic(basic -> {})
          .build();
    }
  }

  private static final String ALICE =
      "Basic "
          + Base64.getEncoder().encodeToString("alice:secret".getBytes(StandardCharsets.UTF_8));

  @Test
  void what_security_answers_is_what_the_client_gets() throws Exception {
    Map<String, Object> properties =
        Map.of("spring.security.user.name", "alice", "spring.security.user.password", "secret");
    try (Running shop = Running.securedReactive(properties, Shop.class, Open.class)) {
      String[] alice = {"Idempotency-Key", "k", "Authorization", ALICE};
      HttpResponse<String> first = shop.post("/denied", "{}", alice);
      HttpResponse<String> second = shop.post("/denied", "{}", alice);
      assertThat(first.statusCode()).isEqualTo(403);
      assertThat(second.statusCode()).isEqualTo(403);
      assertThat(second.headers().firstValue("Idempotent-Replayed")).hasValue("true");
      assertThat(RUNS).hasValue(1);

      HttpResponse<String> strangers = shop.post("/denied", "{}", "Idempotency-Key", "k");
      assertThat(strangers.statusCode()).isEqualTo(401);
      assertThat(strangers.headers().firstValue("WWW-Authenticate")).isPresent();
      assertThat(shop.post("/denied", "{}", "Idempotency-Key", "k").statusCode()).isEqualTo(401);
      assertThat(RUNS).as("a 401 is never recorded").hasValue(3);
    }
  }
}
