package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.spring.Client.Reply;
import dev.once.spring.mvc.TenantResolver;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.HttpStatusEntryPoint;
import org.springframework.security.web.authentication.UsernamePasswordAuthenticationFilter;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

/** The filter behind Spring Security: who may not ask gets no replay either. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SecurityTest {

  /** Tokens, and whose they are. */
  private static final Map<String, String> TOKENS = new ConcurrentHashMap<>();

  private static final AtomicInteger CALLS = new AtomicInteger();

  private static ConfigurableApplicationContext context;
  private static Client client;

  @BeforeAll
  static void start() {
    context = Application.of(Beans.class, Payments.class).with(Application.Part.SECURITY).start();
    client = new Client(context);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @RestController
  static class Payments {
    @PostMapping({"/payments", "/open/payments"})
    Map<String, Object> pay() {
      return Map.of("call", CALLS.incrementAndGet());
    }
  }

  @Configuration
  @EnableWebSecurity
  static class Beans {
    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
      return http.csrf(csrf -> csrf.disable())
          .authorizeHttpRequests(
              requests ->
                  requests.requestMatchers("/open/**").permitAll().anyRequest().authenticated())
          .exceptionHandling(
              errors ->
                  errors.authenticationEntryPoint(
                      new HttpStatusEntryPoint(org.springframework.http.HttpStatus.UNAUTHORIZED)))
          .addFilterBefore(new Bearer(), UsernamePasswordAuthenticationFilter.class)
          .build();
    }

    @Bean
    TenantResolver tenants() {
      return request -> {
        String tenant = request.getHeader("X-Tenant");
        return tenant == null ? "default" : tenant.isEmpty() ? null : tenant;
      };
    }
  }

  static class Bearer extends OncePerRequestFilter {
    @Override
    protected void doFilterInternal(
        HttpServletRequest request, HttpServletResponse response, FilterChain chain)
        throws ServletException, IOException {
      String token = String.valueOf(request.getHeader("Authorization")).replace("Bearer ", "");
      String user = TOKENS.get(token);
      if (user != null) {
        SecurityContext security = SecurityContextHolder.createEmptyContext();
        security.setAuthentication(
            UsernamePasswordAuthenticationToken.authenticated(user, token, List.of()));
        SecurityContextHolder.setContext(security);
      }
      chain.doFilter(request, response);
    }
  }

  private static String tokenOf(String user) {
    String token = UUID.randomUUID().toString();
    TOKENS.put(token, user);
    return token;
  }

  private static Reply pay(String token, String key, String tenant) {
    return client.send(
        "POST",
        "/payments",
        "{}",
        "Authorization",
        "Bearer " + token,
        "Idempotency-Key",
        key,
        "X-Tenant",
        tenant);
  }

  private static Reply pay(String token, String key) {
    return pay(token, key, "default");
  }

  private static String newKey() {
    return UUID.randomUUID().toString();
  }

  @Test
  void a_revoked_token_gets_401_and_not_a_replay() {
    String token = tokenOf("ann");
    String key = newKey();
    assertThat(pay(token, key).status()).isEqualTo(200);
    assertThat(pay(token, key).isReplay()).isTrue();
    TOKENS.remove(token);
    Reply revoked = pay(token, key);
    assertThat(revoked.status()).isEqualTo(401);
    assertThat(revoked.isReplay()).isFalse();
    assertThat(revoked.body()).doesNotContain("call");
  }

  @Test
  void a_401_leaves_the_key_free() {
    String key = newKey();
    assertThat(pay("nobodys", key).status()).isEqualTo(401);
    Reply reply = pay(tokenOf("ann"), key);
    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.isReplay()).isFalse();
  }

  @Test
  void a_new_token_of_the_same_user_gets_the_replay() {
    String key = newKey();
    Reply first = pay(tokenOf("ann"), key);
    Reply second = pay(tokenOf("ann"), key);
    assertThat(second.isReplay()).isTrue();
    assertThat(second.body()).isEqualTo(first.body());
  }

  @Test
  void the_same_key_of_another_user_is_another_operation() {
    String key = newKey();
    Reply anns = pay(tokenOf("ann"), key);
    Reply bobs = pay(tokenOf("bob"), key);
    assertThat(bobs.isReplay()).isFalse();
    assertThat(bobs.body()).isNotEqualTo(anns.body());
  }

  @Test
  void the_same_key_of_another_tenant_is_another_operation() {
    String key = newKey();
    String token = tokenOf("ann");
    Reply ones = pay(token, key, "one");
    Reply others = pay(token, key, "other");
    assertThat(others.isReplay()).isFalse();
    assertThat(others.body()).isNotEqualTo(ones.body());
  }

  @Test
  void a_request_whose_tenant_cannot_be_told_is_refused() {
    Reply reply = pay(tokenOf("ann"), newKey(), "");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.body()).contains("tenant-missing");
  }

  @Test
  void where_nobody_is_authenticated_callers_are_told_apart_by_their_authorization() {
    String key = newKey();
    String[] one = {"Idempotency-Key", key, "Authorization", "Basic one"};
    String[] other = {"Idempotency-Key", key, "Authorization", "Basic other"};
    Reply first = client.send("POST", "/open/payments", "{}", one);
    assertThat(client.send("POST", "/open/payments", "{}", one).isReplay()).isTrue();
    Reply others = client.send("POST", "/open/payments", "{}", other);
    assertThat(others.isReplay()).isFalse();
    assertThat(others.body()).isNotEqualTo(first.body());
  }
}
