package dev.once.spring.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.store.Lease;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.StoreException;
import dev.once.core.store.spi.ForwardingStore;
import dev.once.spring.OnceCustomizer;
import dev.once.spring.RunningApplication;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableReactiveMethodSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Spring Security within handlers of WebFlux. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WebFluxDeniedTest {

  private static final String ALICE =
      "Basic "
          + Base64.getEncoder().encodeToString("alice:secret".getBytes(StandardCharsets.UTF_8));

  @RestController
  static class Shop {
    @PostMapping("/denied")
    Mono<String> denied() {
      return Mono.error(new AccessDeniedException("not you"));
    }

    @PostMapping("/secured")
    @PreAuthorize("isAuthenticated()")
    public Flux<String> secured() {
      return Flux.just("charged");
    }
  }

  /** Records nothing. */
  static final class FailingStore extends ForwardingStore {
    private volatile boolean fails;

    FailingStore() {
      super(new MemoryStore());
    }

    @Override
    public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
      return fails
          ? CompletableFuture.failedFuture(new StoreException("told to fail", null))
          : super.complete(lease, answer, retention);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableReactiveMethodSecurity
  static class Security {
    @Bean
    FailingStore store() {
      return new FailingStore();
    }

    @Bean
    OnceCustomizer impatient() {
      return once -> once.recordTimeout(Duration.ofMillis(100));
    }

    @Bean
    SecurityWebFilterChain chain(ServerHttpSecurity http) {
      return http.csrf(csrf -> csrf.disable())
          .authorizeExchange(exchanges -> exchanges.anyExchange().permitAll())
          .httpBasic(basic -> {})
          .build();
    }
  }

  private static RunningApplication start() {
    return RunningApplication.securedReactive(
        Map.of("spring.security.user.name", "alice", "spring.security.user.password", "secret"),
        Shop.class,
        Security.class);
  }

  @Test
  void a_denial_that_is_not_recorded_is_not_given() throws Exception {
    try (RunningApplication shop = start()) {
      shop.bean(FailingStore.class).fails = true;
      HttpResponse<String> first =
          shop.post("/denied", "{}", "Idempotency-Key", "key-1", "Authorization", ALICE);
      assertThat(first.statusCode()).isEqualTo(409);
    }
  }

  @Test
  void a_secured_body_knows_its_user() throws Exception {
    try (RunningApplication shop = start()) {
      HttpResponse<String> answer =
          shop.post("/secured", "{}", "Idempotency-Key", "key-2", "Authorization", ALICE);
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo("charged");
    }
  }
}
