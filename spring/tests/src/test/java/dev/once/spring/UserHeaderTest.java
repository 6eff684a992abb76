package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.semantics.Caller;
import dev.once.http.semantics.RequestHead;
import dev.once.http.semantics.ScopeRule;
import dev.once.http.semantics.ScopeRule.User;
import dev.once.spring.mvc.RequestScopes;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A user that a header names is never one whom Spring Security has authenticated. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class UserHeaderTest {

  private static final String ALICE =
      "Basic "
          + Base64.getEncoder().encodeToString("alice:secret".getBytes(StandardCharsets.UTF_8));

  private static final ScopeRule BY_HEADER = ScopeRule.DEFAULT.withUser(User.HEADER, "X-User");

  @RestController
  static class Shop {
    private final AtomicInteger orders = new AtomicInteger();

    @PostMapping("/orders")
    String order() {
      return "order " + orders.incrementAndGet();
    }
  }

  @Configuration
  @EnableWebSecurity
  static class Open {
    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
      return http.csrf(csrf -> csrf.disable())
          .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
          .httpBasic(basic -> {})
          .build();
    }
  }

  @Test
  void whoever_sends_a_principals_name_gets_none_of_the_principals_answers() {
    try (ConfigurableApplicationContext context =
        Application.of(Shop.class, Open.class)
            .with(Application.Part.SECURITY)
            .with("spring.security.user.name", "alice")
            .with("spring.security.user.password", "secret")
            .with("once.scope.user-header", "X-User")
            .start()) {
      Client client = new Client(context);
      String[] alice = {"Idempotency-Key", "k", "Authorization", ALICE};
      String[] stranger = {"Idempotency-Key", "k", "X-User", "alice"};
      assertThat(client.send("POST", "/orders", "{}", alice).body()).isEqualTo("order 1");
      assertThat(client.send("POST", "/orders", "{}", stranger).body()).isEqualTo("order 2");
      assertThat(client.send("POST", "/orders", "{}", alice).body()).isEqualTo("order 1");
      assertThat(client.send("POST", "/orders", "{}", stranger).body()).isEqualTo("order 2");
    }
  }

  private static String user(ScopeRule rule, String principal, String header, String value) {
    MockHttpServletRequest request = new MockHttpServletRequest("POST", "/orders");
    if (principal != null) {
      request.setUserPrincipal(() -> principal);
    }
    List<String> lines = header == null ? List.of() : List.of(value);
    Head head = new Head(name -> name.equals(header) ? lines : List.of());
    return ((Caller.Known) new RequestScopes(rule, null).apply(request, head)).scope().user();
  }

  /** A request of which only the headers count. */
  private record Head(Function<String, List<String>> lines) implements RequestHead {
    @Override
    public String method() {
      return "POST";
    }

    @Override
    public String path() {
      return "/orders";
    }

    @Override
    public String query() {
      return null;
    }

    @Override
    public List<String> headers(String name) {
      return lines.apply(name);
    }

    @Override
    public boolean hasBody() {
      return false;
    }

    @Override
    public String client() {
      return null;
    }
  }

  private static String principal(String name) {
    return user(BY_HEADER, name, null, "");
  }

  private static String byHeader(String name) {
    return user(BY_HEADER, null, "X-User", name);
  }

  @Test
  void the_scope_of_a_principal_is_its_name_whatever_a_header_says() {
    assertThat(principal("alice")).isEqualTo("alice");
    assertThat(user(BY_HEADER, "alice", "X-User", "bob")).isEqualTo("alice");
  }

  @Test
  void no_name_of_a_principal_is_a_users_by_header() {
    for (String name : new String[] {"alice", "x".repeat(509), "x".repeat(600)}) {
      String user = byHeader(name);
      assertThat(user).isNotEqualTo(principal(name));
      assertThat(principal(user)).isNotEqualTo(user);
      assertThat(byHeader(name)).isEqualTo(user);
      assertThat(byHeader(name + "y")).isNotEqualTo(user);
    }
  }

  @Test
  void no_token_is_a_principal_with_a_long_name() {
    String name = "x".repeat(600);
    assertThat(user(ScopeRule.DEFAULT, null, "Authorization", name)).isNotEqualTo(principal(name));
  }

  @Test
  void whoever_sends_nothing_has_no_user() {
    assertThat(user(BY_HEADER, null, null, "")).isEmpty();
  }

  @Test
  void no_principal_has_the_scope_of_one_with_a_long_name() {
    String user = principal("x".repeat(600));
    assertThat(principal(user)).isNotEqualTo(user);
  }

  @Test
  void a_principal_with_an_empty_name_has_a_scope_of_its_own() {
    assertThat(principal("")).isNotEmpty();
  }
}
