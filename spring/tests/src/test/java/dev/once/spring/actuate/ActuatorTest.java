package dev.once.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Body;
import dev.once.core.Execution;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Once;
import dev.once.core.OnceListener;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Result;
import dev.once.core.Scope;
import dev.once.core.store.Store;
import dev.once.ops.micrometer.OnceMetrics;
import dev.once.spring.RunningApplication;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ActuatorTest {

  private static final String KEY = "550e8400-e29b-41d4/a716:446655440000";

  private static final Map<String, Object> EXPOSED =
      Map.of(
          "management.endpoints.web.exposure.include", "health,info,once",
          "management.endpoint.health.show-details", "always");

  private static Operation pay(String user) {
    return Operation.of(
        new Scope("acme", user, ""), Key.of(KEY), Fingerprint.of("pay"), Policy.DEFAULT);
  }

  private static Execution begin(RunningApplication application, Operation operation) {
    Once once = application.bean(Once.class);
    return ((Begun.Proceed) once.begin(operation).toCompletableFuture().join()).execution();
  }

  private static DocumentContext json(HttpResponse<String> response) {
    return JsonPath.parse(response.body());
  }

  private static final String ALICES =
      "/actuator/once?tenant=acme&user=alice&key=550e8400-e29b-41d4%2Fa716%3A446655440000";

  @Test
  void health_says_whether_the_store_answers() throws Exception {
    try (RunningApplication application = RunningApplication.servlet(EXPOSED)) {
      HttpResponse<String> up = application.get("/actuator/health");
      assertThat(up.statusCode()).isEqualTo(200);
      String status = json(up).read("$.components.once.status");
      String store = json(up).read("$.components.once.details.store");
      assertThat(status).isEqualTo("UP");
      assertThat(store).isEqualTo("MemoryStore");
      application.bean(Store.class).close();
      HttpResponse<String> down = application.get("/actuator/health");
      assertThat(down.statusCode()).isEqualTo(503);
      String error = json(down).read("$.components.once.details.error");
      assertThat(error).contains("memory store: closed");
    }
  }

  @Test
  void health_of_the_store_can_be_left_out() throws Exception {
    Map<String, Object> properties = new HashMap<>(EXPOSED);
    properties.put("management.health.once.enabled", "false");
    try (RunningApplication application = RunningApplication.servlet(properties)) {
      Map<String, Object> components =
          json(application.get("/actuator/health")).read("$.components");
      assertThat(components).isNotEmpty().doesNotContainKey("once");
    }
  }

  @Test
  void the_endpoint_is_there_only_if_it_is_exposed() throws Exception {
    try (RunningApplication application = RunningApplication.servlet(Map.of())) {
      assertThat(application.get("/actuator/once").statusCode()).isEqualTo(404);
      assertThat(application.has(OnceEndpoint.class)).isFalse();
    }
  }

  @Test
  void the_endpoint_shows_the_record_of_a_key_masked_and_without_its_body() throws Exception {
    try (RunningApplication application = RunningApplication.servlet(EXPOSED)) {
      Execution execution = begin(application, pay("alice"));
      DocumentContext running = json(application.get(ALICES));
      assertThat(running.<Map<String, Object>>read("$"))
          .containsEntry("key", pay("alice").id().masked())
          .containsEntry("tenant", "acme")
          .containsEntry("user", "alice")
          .containsEntry("status", "PROCESSING")
          .containsEntry("attempt", 1)
          .containsKeys("fence", "requestedAt", "leaseEnds", "expiresAt")
          .doesNotContainKeys("completedAt", "code");
      execution.complete(Answer.success(201, Body.of("a secret")));
      HttpResponse<String> done = application.get(ALICES);
      assertThat(json(done).<Map<String, Object>>read("$"))
          .containsEntry("status", "DONE")
          .containsEntry("code", 201)
          .containsKey("completedAt");
      assertThat(done.body()).doesNotContain("a secret", KEY);
    }
  }

  @Test
  void another_users_key_is_another_key() throws Exception {
    try (RunningApplication application = RunningApplication.servlet(EXPOSED)) {
      begin(application, pay("bob"));
      HttpResponse<String> none = application.get(ALICES);
      assertThat(none.statusCode()).isEqualTo(404);
      assertThat(none.body()).contains(pay("alice").id() + ": no record").doesNotContain(KEY);
    }
  }

  @Test
  void the_endpoint_counts_records() throws Exception {
    try (RunningApplication application = RunningApplication.servlet(EXPOSED)) {
      begin(application, pay("alice")).complete(Answer.success(201, Body.EMPTY));
      begin(application, pay("bob"));
      assertThat(json(application.get("/actuator/once")).<Map<String, Object>>read("$"))
          .isEqualTo(Map.of("processing", 1, "abandoned", 0, "done", 1, "failed", 0));
      MeterRegistry registry = application.bean(MeterRegistry.class);
      assertThat(registry.get("idempotency.keys.stored").gauge().value()).isEqualTo(2);
    }
  }

  @Test
  void what_cannot_be_a_key_is_refused_with_the_rule() throws Exception {
    try (RunningApplication application = RunningApplication.servlet(EXPOSED)) {
      String tooLong = "/actuator/once?fence=1&key=" + "x".repeat(5000);
      for (HttpResponse<String> reply :
          List.of(
              application.get("/actuator/once?key="),
              application.get(tooLong),
              application.delete(tooLong))) {
        assertThat(reply.statusCode()).isEqualTo(400);
        assertThat(reply.body()).contains("key: ").contains("expected: 1 to");
      }
    }
  }

  @Test
  void a_key_is_released_with_the_fence_that_was_seen_and_with_no_other() throws Exception {
    try (RunningApplication application = RunningApplication.servlet(EXPOSED)) {
      Execution stuck = begin(application, pay("alice"));
      int fence = json(application.get(ALICES)).read("$.fence");

      HttpResponse<String> other = application.delete(ALICES + "&fence=" + (fence + 1));
      assertThat(other.statusCode()).isEqualTo(409);
      assertThat(other.body()).contains("expected: " + fence, "PROCESSING");
      assertThat(application.delete(ALICES).statusCode()).as("no fence").isEqualTo(400);

      HttpResponse<String> released = application.delete(ALICES + "&fence=" + fence);
      assertThat(released.statusCode()).isEqualTo(200);
      assertThat(json(released).<Map<String, Object>>read("$"))
          .isEqualTo(Map.of("key", pay("alice").id().masked(), "released", true));
      assertThat(application.delete(ALICES + "&fence=" + fence).statusCode()).isEqualTo(404);

      begin(application, pay("alice")).complete(Answer.success(201, Body.of("again")));
      assertThat(stuck.complete(Answer.success(200, Body.EMPTY)).toCompletableFuture().join())
          .isInstanceOf(Result.Refused.class);
    }
  }

  @Test
  void the_endpoint_is_secured_as_the_others_are() throws Exception {
    Map<String, Object> properties = new HashMap<>(EXPOSED);
    properties.put("spring.security.user.name", "operator");
    properties.put("spring.security.user.password", "secret");
    try (RunningApplication application = RunningApplication.securedServlet(properties)) {
      assertThat(application.get("/actuator/once").statusCode()).isEqualTo(401);
      String credentials =
          Base64.getEncoder().encodeToString("operator:secret".getBytes(StandardCharsets.UTF_8));
      assertThat(
              application
                  .get("/actuator/once", "Authorization", "Basic " + credentials)
                  .statusCode())
          .isEqualTo(200);
    }
  }

  @Test
  void info_tells_of_the_store_and_the_policies() throws Exception {
    Map<String, Object> properties = new HashMap<>(EXPOSED);
    properties.put("once.retention", "72h");
    properties.put("once.routes[0].match", "POST /leads");
    properties.put("once.routes[0].profile", "leads");
    try (RunningApplication application = RunningApplication.servlet(properties)) {
      DocumentContext info = json(application.get("/actuator/info"));
      assertThat(info.<Map<String, Object>>read("$.once"))
          .containsEntry("store", "MemoryStore")
          .containsEntry("durable", false);
      assertThat(info.<Map<String, Object>>read("$.once.policy"))
          .containsEntry("retention", "72h")
          .containsEntry("header", "Idempotency-Key");
      assertThat(info.<Map<String, Object>>read("$.once.routes['POST /leads']"))
          .containsEntry("header", "X-Idempotency-Key");
    }
  }

  @Test
  void requests_are_counted_where_there_is_a_registry() throws Exception {
    try (RunningApplication application = RunningApplication.servlet(EXPOSED)) {
      assertThat(application.bean(OnceMetrics.class)).isInstanceOf(OnceListener.class);
      MeterRegistry registry = application.bean(MeterRegistry.class);
      assertThat(registry.find("idempotency.hits").functionCounter()).isNotNull();
    }
  }

  @Test
  void a_database_that_answers_for_its_cache_is_counted(@TempDir Path folder) throws Exception {
    Map<String, Object> properties = new HashMap<>(EXPOSED);
    properties.put("once.store.url", "sqlite:" + folder.resolve("keys.db"));
    properties.put("once.store.cache", "redis://localhost:1");
    try (RunningApplication application = RunningApplication.servlet(properties)) {
      begin(application, pay("alice"));
      MeterRegistry registry = application.bean(MeterRegistry.class);
      assertThat(registry.get("idempotency.fallback").functionCounter().count()).isPositive();
    }
  }
}
