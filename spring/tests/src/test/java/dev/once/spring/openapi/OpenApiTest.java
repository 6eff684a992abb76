package dev.once.spring.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import dev.once.core.Policy.OnCrash;
import dev.once.spring.Idempotent;
import dev.once.spring.RunningApplication;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springdoc.core.models.GroupedOpenApi;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

@DisplayNameGeneration(ReplaceUnderscores.class)
class OpenApiTest {

  private static final String KEY = "Idempotency-Key";

  @RestController
  static class Shop {
    @PostMapping("/payments")
    String pay(@RequestBody String payment) {
      return payment;
    }

    @PostMapping("/refunds/{id}")
    String refund(@PathVariable String id) {
      return id;
    }

    @GetMapping("/payments/{id}")
    String payment(@PathVariable String id) {
      return id;
    }

    @DeleteMapping("/payments/{id}")
    void forget(@PathVariable String id) {}

    @PutMapping("/orders/{id}")
    @Idempotent(required = true, retention = "72h", onCrash = OnCrash.RUN_AGAIN)
    ResponseEntity<String> order(@PathVariable String id) {
      return ResponseEntity.ok(id);
    }

    @PostMapping("/described")
    String described(@RequestHeader("idempotency-key") String own) {
      return own;
    }

    @PostMapping("/leads")
    String lead(@RequestBody String lead) {
      return lead;
    }
  }

  @RestController
  static class Plain {
    @PostMapping("/payments")
    String pay(@RequestBody String payment) {
      return payment;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Groups {
    @Bean
    GroupedOpenApi orders() {
      return GroupedOpenApi.builder().group("orders").pathsToMatch("/orders/**").build();
    }
  }

  private static DocumentContext docs(RunningApplication application, String path)
      throws Exception {
    return JsonPath.parse(application.get(path).body());
  }

  @Test
  void endpoints_in_scope_show_the_header_its_rule_the_problems_and_the_marker() throws Exception {
    try (RunningApplication application = RunningApplication.servlet(Map.of(), Shop.class)) {
      DocumentContext docs = docs(application, "/v3/api-docs");
      Map<String, Object> header = header(docs, "$.paths['/payments'].post");
      assertThat(header).containsEntry("required", false);
      assertThat(header.get("description").toString())
          .contains("the same key with every retry", "for 24h", "1 to 255 characters");
      assertThat(header.get("example")).isEqualTo("550e8400-e29b-41d4-a716-446655440000");
      Map<String, Object> schema = docs.read("$.paths['/payments'].post.parameters[0].schema");
      assertThat(schema)
          .containsEntry("type", "string")
          .containsEntry("minLength", 1)
          .containsEntry("maxLength", 255)
          .containsEntry("pattern", "^([!-~]+|\"[ -~]+\")$");
      for (String status : List.of("400", "409", "422")) {
        String problem =
            docs.read(
                "$.paths['/payments'].post.responses['%s'].content['application/problem+json'].schema.$ref"
                    .formatted(status));
        assertThat(problem).isEqualTo("#/components/schemas/IdempotencyProblem");
      }
      Map<String, Object> problem = docs.read("$.components.schemas.IdempotencyProblem.properties");
      assertThat(problem)
          .containsOnlyKeys("type", "title", "status", "detail", "instance", "retry", "retention");
      Map<String, Object> marker =
          docs.read("$.paths['/payments'].post.responses['200'].headers['Idempotent-Replayed']");
      assertThat(marker).containsKey("description");
      assertThat(header(docs, "$.paths['/refunds/{id}'].post")).containsEntry("required", false);
    }
  }

  @Test
  void the_examples_of_problems_are_what_the_application_answers() throws Exception {
    try (RunningApplication application =
        RunningApplication.servlet(Map.of("server.servlet.context-path", "/shop"), Shop.class)) {
      DocumentContext docs = docs(application, "/shop/v3/api-docs");
      String payments = "/shop/payments";
      assertExample(docs, "key-malformed", application.post(payments, "a", KEY, ""));
      application.post(payments, "a", KEY, "k1");
      assertExample(docs, "key-reused", application.post(payments, "b", KEY, "k1"));
      Map<String, Map<String, Object>> conflicts =
          docs.read(
              "$.paths['/payments'].post.responses['409'].content['application/problem+json'].examples");
      assertThat(conflicts).containsOnlyKeys("still-running", "outcome-unknown");
      assertThat(conflicts.get("still-running").get("value"))
          .isEqualTo(
              Map.of(
                  "type", "/shop/docs/idempotency#still-running",
                  "title", "The first request with this key still runs",
                  "status", 409,
                  "detail", "The first request with this key still runs.",
                  "instance", "urn:once:9b2f4c1e7d3a5068f1e2d3c4",
                  "retry", "same-key",
                  "retention", "PT24H"));
      Map<String, Object> missing =
          docs.read(
              "$.paths['/orders/{id}'].put.responses['400'].content['application/problem+json'].examples");
      assertThat(missing).containsOnlyKeys("key-missing", "key-malformed");
    }
  }

  private static void assertExample(
      DocumentContext docs, String anchor, HttpResponse<String> answer) {
    Map<String, Object> example =
        docs.read(
            "$.paths['/payments'].post.responses['%d'].content['application/problem+json'].examples['%s']"
                .formatted(answer.statusCode(), anchor));
    Map<String, Object> answered = JsonPath.read(answer.body(), "$");
    assertThat(example).containsEntry("summary", answered.get("title"));
    assertThat(withoutInstance(example.get("value"))).isEqualTo(withoutInstance(answered));
  }

  /** Each answer has one of its own. */
  private static Map<?, ?> withoutInstance(Object problem) {
    Map<?, ?> others = new HashMap<>((Map<?, ?>) problem);
    assertThat(others.remove("instance")).asString().startsWith("urn:once:");
    return others;
  }

  @Test
  void endpoints_that_are_not_in_scope_stay_as_they_are() throws Exception {
    try (RunningApplication application = RunningApplication.servlet(Map.of(), Shop.class)) {
      DocumentContext docs = docs(application, "/v3/api-docs");
      for (String operation : List.of("get", "delete")) {
        Map<String, Object> shown = docs.read("$.paths['/payments/{id}']." + operation);
        assertThat(shown.toString()).doesNotContain(KEY, "problem+json", "x-once");
      }
    }
  }

  @Test
  void what_the_annotation_says_holds_also_within_a_group() throws Exception {
    try (RunningApplication application =
        RunningApplication.servlet(Map.of(), Shop.class, Groups.class)) {
      DocumentContext docs = docs(application, "/v3/api-docs/orders");
      Map<String, Object> header = header(docs, "$.paths['/orders/{id}'].put");
      assertThat(header).containsEntry("required", true);
      assertThat(header.get("description").toString()).contains("for 72h");
      String missing = docs.read("$.paths['/orders/{id}'].put.responses['400'].description");
      assertThat(missing).contains("missing, or not well-formed");
      assertThat(application.get("/v3/api-docs/orders").body()).doesNotContain("x-once-handler");
      assertThat(docs(application, "/v3/api-docs/orders").jsonString())
          .as("asked for twice")
          .isEqualTo(docs.jsonString());
    }
  }

  @Test
  void what_the_properties_say_by_route_holds() throws Exception {
    Map<String, Object> properties =
        Map.of(
            "once.routes[0].match", "POST /leads",
            "once.routes[0].profile", "leads",
            "once.routes[1].match", "/payments/**",
            "once.routes[1].profile", "stripe",
            "once.routes[2].match", "/refunds/*",
            "once.routes[2].enabled", "false");
    try (RunningApplication application = RunningApplication.servlet(properties, Shop.class)) {
      DocumentContext docs = docs(application, "/v3/api-docs");
      Map<String, Object> lead = docs.read("$.paths['/leads'].post.parameters[0]");
      assertThat(lead).containsEntry("name", "X-Idempotency-Key").containsEntry("required", true);
      assertThat(lead.get("schema").toString()).contains("[0-9a-fA-F]{8}-");
      Map<String, Object> stripe = docs.read("$.paths['/payments'].post.responses");
      assertThat(stripe).containsKeys("200", "400", "409").doesNotContainKey("422");
      assertThat(stripe.get("400").toString()).contains("not well-formed", "another request");
      Map<String, Object> refund = docs.read("$.paths['/refunds/{id}'].post");
      assertThat(refund.toString()).doesNotContain(KEY);
    }
  }

  @Test
  void a_header_that_the_application_describes_itself_is_there_once() throws Exception {
    try (RunningApplication application = RunningApplication.servlet(Map.of(), Shop.class)) {
      DocumentContext docs = docs(application, "/v3/api-docs");
      List<String> names = docs.read("$.paths['/described'].post.parameters[*].name");
      assertThat(names).containsExactly("idempotency-key");
    }
  }

  @Test
  void without_the_filter_nothing_is_promised() throws Exception {
    try (RunningApplication application =
        RunningApplication.servlet(Map.of("once.filter.enabled", "false"), Plain.class)) {
      assertThat(application.get("/v3/api-docs").body()).doesNotContain("IdempotencyProblem");
    }
  }

  private static Map<String, Object> header(DocumentContext docs, String operation) {
    List<Map<String, Object>> found =
        docs.read(operation + ".parameters[?(@.name == '" + KEY + "')]");
    assertThat(found).hasSize(1);
    assertThat(found.get(0)).containsEntry("in", "header");
    return found.get(0);
  }
}
