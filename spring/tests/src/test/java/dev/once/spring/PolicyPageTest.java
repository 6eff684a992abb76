package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** The page that the types of problems link to, in Spring MVC and in WebFlux. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PolicyPageTest {

  @RestController
  static class Payments {
    @PostMapping("/payments")
    String pay() {
      return "paid";
    }
  }

  @RestController
  static class OwnPage {
    @GetMapping("/docs/idempotency")
    String page() {
      return "our own";
    }
  }

  /** The type of the problem that a request without a key gets. */
  private static String typeOfProblem(RunningApplication application, String root)
      throws Exception {
    HttpResponse<String> refused = application.post(root + "/payments", "{}");
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    return JsonPath.read(refused.body(), "$.type");
  }

  private static void assertLinked(RunningApplication application, String root, String page)
      throws Exception {
    assertThat(typeOfProblem(application, root)).isEqualTo(page + "#key-missing");
    HttpResponse<String> shown = application.get(page);
    assertThat(shown.statusCode()).isEqualTo(200);
    assertThat(shown.headers().firstValue("Content-Type").orElseThrow())
        .isEqualToIgnoringCase("text/html;charset=UTF-8");
    assertThat(shown.body())
        .startsWith("<!doctype html>")
        .contains("id=\"key-missing\"")
        .contains("POST /payments/**")
        .contains("Idempotency-Key is required");
    assertThat(application.post(page, "{}").statusCode()).isEqualTo(405);
  }

  private static Map<String, Object> with(String... more) {
    Map<String, Object> properties =
        new java.util.HashMap<>(
            Map.of("once.routes[0].match", "POST /payments/**", "once.routes[0].required", "true"));
    for (int i = 0; i < more.length; i += 2) {
      properties.put(more[i], more[i + 1]);
    }
    return properties;
  }

  @Test
  void spring_mvc_serves_it_and_problems_link_to_it() throws Exception {
    try (RunningApplication application = RunningApplication.servlet(with(), Payments.class)) {
      assertLinked(application, "", "/docs/idempotency");
    }
  }

  @Test
  void webflux_serves_it_and_problems_link_to_it() throws Exception {
    try (RunningApplication application = RunningApplication.reactive(with(), Payments.class)) {
      assertLinked(application, "", "/docs/idempotency");
    }
  }

  @Test
  void it_is_under_the_context_path_and_the_path_of_spring_mvc() throws Exception {
    Map<String, Object> properties =
        with(
            "server.servlet.context-path", "/shop",
            "spring.mvc.servlet.path", "/api",
            "once.policy-page.path", "/keys",
            "once.routes[0].match", "POST /api/payments/**");
    try (RunningApplication application = RunningApplication.servlet(properties, Payments.class)) {
      assertThat(typeOfProblem(application, "/shop/api")).isEqualTo("/shop/api/keys#key-missing");
      assertThat(application.get("/shop/api/keys").body()).contains("id=\"key-missing\"");
    }
  }

  @Test
  void it_is_under_the_base_path_of_webflux() throws Exception {
    Map<String, Object> properties =
        with("spring.webflux.base-path", "/shop", "once.policy-page.path", "/keys");
    try (RunningApplication application = RunningApplication.reactive(properties, Payments.class)) {
      assertLinked(application, "/shop", "/shop/keys");
    }
  }

  @Test
  void what_the_application_has_at_that_path_is_stronger() throws Exception {
    try (RunningApplication servlet = RunningApplication.servlet(with(), OwnPage.class);
        RunningApplication reactive = RunningApplication.reactive(with(), OwnPage.class)) {
      assertThat(servlet.get("/docs/idempotency").body()).isEqualTo("our own");
      assertThat(reactive.get("/docs/idempotency").body()).isEqualTo("our own");
    }
  }

  @Test
  void it_can_be_switched_off() throws Exception {
    Map<String, Object> off = with("once.policy-page.enabled", "false");
    try (RunningApplication servlet = RunningApplication.servlet(off, Payments.class);
        RunningApplication reactive = RunningApplication.reactive(off, Payments.class)) {
      for (RunningApplication application : new RunningApplication[] {servlet, reactive}) {
        assertThat(application.get("/docs/idempotency").statusCode()).isEqualTo(404);
        assertThat(typeOfProblem(application, "")).isEqualTo("about:blank#key-missing");
      }
    }
  }

  @Test
  void without_the_filter_it_is_not_there() throws Exception {
    try (RunningApplication application =
        RunningApplication.servlet(with("once.filter.enabled", "false"), Payments.class)) {
      assertThat(application.get("/docs/idempotency").statusCode()).isEqualTo(404);
    }
  }

  @Configuration
  @EnableWebSecurity
  static class Permitted {
    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
      return http.authorizeHttpRequests(
              requests ->
                  requests
                      .requestMatchers("/docs/idempotency")
                      .permitAll()
                      .anyRequest()
                      .authenticated())
          .build();
    }
  }

  @Test
  void spring_security_guards_it_like_any_path_until_it_is_permitted() throws Exception {
    try (RunningApplication closed = RunningApplication.securedServlet(with(), Payments.class);
        RunningApplication open =
            RunningApplication.securedServlet(with(), Payments.class, Permitted.class)) {
      assertThat(closed.get("/docs/idempotency").statusCode()).isEqualTo(401);
      assertThat(open.get("/docs/idempotency").statusCode()).isEqualTo(200);
      assertThat(open.get("/payments").statusCode()).isEqualTo(403);
    }
  }
}
