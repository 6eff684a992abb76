package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Once;
import dev.once.core.store.MemoryStore;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.Problems;
import dev.once.http.semantics.Routes;
import dev.once.http.semantics.Rules;
import dev.once.http.semantics.ScopeRule;
import dev.once.ops.micrometer.OnceMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What operators see. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class AdminTest extends GatewayFixture {

  private static final Pattern HELP = Pattern.compile("(?m)^# HELP (\\w+) (.*)$");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+)` \\| (.*) \\|$");

  private HttpResponse<String> ask(String path) throws Exception {
    return send(HttpRequest.newBuilder(admin(path)));
  }

  private double metric(String name) throws Exception {
    return ask("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError(name + " is not there"));
  }

  private static int status(HttpRequest.Builder request) {
    try {
      return send(request).statusCode();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void it_is_live_and_ready() throws Exception {
    start(setup -> setup.store = sqlite());
    assertThat(ask("/health/live").statusCode()).isEqualTo(200);
    assertThat(ask("/health/ready").body()).isEqualTo("ready\n");
  }

  @Test
  void it_is_not_ready_but_live_while_the_store_does_not_answer() throws Exception {
    start();
    MemoryStore broken = new MemoryStore();
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    AdminServer admin =
        new AdminServer(Protocol.vertx(), new GatewaySettings.Address("localhost", 0), registry);
    Routes routes = Routes.all(HttpPolicy.DEFAULT);
    Rules rules = new Rules("gateway", new Problems(admin.docs()));
    Once once = closing(Once.on(broken));
    GatewayState shared =
        new GatewayState(
            once,
            new HeldBytes(1),
            new GatewayState.ReloadableSettings(
                routes,
                ScopeRule.DEFAULT,
                rules,
                new Cors(List.of()),
                new ClientFields(TrustedProxies.NONE, ScopeRule.DEFAULT, routes)));
    HttpRequest.Builder ready = HttpRequest.newBuilder(admin.docs().resolve("/health/ready"));
    assertThat(send(ready).body()).isEqualTo("starting\n");
    admin.serve(shared, broken, new OnceMetrics(registry));
    assertThat(send(ready).statusCode()).isEqualTo(200);
    broken.close();
    eventually(() -> status(ready) == 503); // what a write has shown is told for a second
    assertThat(send(ready).body()).isEqualTo("the store cannot be written\n");
    assertThat(send(HttpRequest.newBuilder(admin.docs().resolve("/health/live"))).statusCode())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "idempotency_conflicts_total",
        "idempotency_processing_gauge",
        "idempotency_retries_total",
        "idempotency_cache_hit_total",
        "idempotency_cache_miss_total",
        "idempotency_conflict_total",
        "idempotency_fallback_total",
        "idempotency_keys_stored",
        "idempotency_hits_total",
        "idempotency_misses_total",
        "idempotency_errors_total"
      })
  void there_is_every_metric_that_people_know(String name) throws Exception {
    start();
    assertThat(metric(name)).isZero();
  }

  @Test
  void two_metrics_that_differ_by_one_letter_say_how_they_differ() throws Exception {
    start();
    assertThat(help(ask("/metrics").body()))
        .containsEntry(
            "idempotency_conflict_total",
            "Requests refused because the first one with their key still ran;"
                + " idempotency_conflicts_total has these, and keys that were used for something"
                + " else")
        .containsEntry(
            "idempotency_conflicts_total",
            "Requests refused because their key was taken: the sum of idempotency_conflict_total"
                + " and idempotency_mismatches_total");
  }

  @Test
  void every_metric_is_in_the_documentation_with_the_help_that_prometheus_shows() throws Exception {
    start();
    Map<String, String> shown = help(ask("/metrics").body());
    Map<String, String> told = new TreeMap<>();
    Matcher row = ROW.matcher(Files.readString(Path.of("../../docs/metrics.md")));
    while (row.find()) {
      told.put(row.group(1), row.group(2));
    }
    assertThat(told).isEqualTo(shown);
  }

  private static Map<String, String> help(String metrics) {
    Map<String, String> texts = new TreeMap<>();
    Matcher help = HELP.matcher(metrics);
    while (help.find()) {
      texts.put(help.group(1), help.group(2));
    }
    return texts;
  }

  @Test
  void the_metrics_count_what_became_of_requests() throws Exception {
    Gate gate = new Gate();
    service.on(
        "/slow",
        call -> {
          call.body();
          gate.pass();
          call.answer(200, "x");
        });
    service.on("/cut", call -> call.close());
    start(setup -> setup.route("POST /must/**", "required", "true"));
    pay("/p", "k-1");
    pay("/p", "k-1");
    pay("/p", "k-1");
    send(post("/p", "k-1", "other"));
    send(post("/p", "b a d", "x"));
    send(post("/must", null, "x"));
    var running = sendAsync(payment("/slow", "k-2"));
    gate.awaitReached();
    pay("/slow", "k-2");
    assertThat(metric("idempotency_processing_gauge")).isEqualTo(1);
    gate.open();
    running.join();
    pay("/cut", "k-3");
    assertThat(metric("idempotency_processing_gauge")).isZero();
    assertThat(metric("idempotency_misses_total")).isEqualTo(3);
    assertThat(metric("idempotency_cache_miss_total")).isEqualTo(3);
    assertThat(metric("idempotency_hits_total")).isEqualTo(2);
    assertThat(metric("idempotency_cache_hit_total")).isEqualTo(2);
    assertThat(metric("idempotency_mismatches_total")).isEqualTo(1);
    assertThat(metric("idempotency_conflict_total")).isEqualTo(1);
    assertThat(metric("idempotency_conflicts_total")).isEqualTo(2);
    assertThat(metric("idempotency_retries_total")).isEqualTo(3);
    assertThat(metric("idempotency_keys_malformed_total")).isEqualTo(1);
    assertThat(metric("idempotency_keys_missing_total")).isEqualTo(1);
    assertThat(metric("idempotency_errors_total")).isZero();
  }

  @Test
  void the_stored_keys_are_counted() throws Exception {
    start(setup -> setup.store = sqlite());
    pay("/p", "k-1");
    pay("/p", "k-2");
    gateway.close();
    start(setup -> setup.store = sqlite());
    eventually(
        () -> {
          try {
            return metric("idempotency_keys_stored") == 2;
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  @Test
  void no_key_and_no_path_is_in_the_metrics() throws Exception {
    start();
    pay("/secret-path", "secret-key");
    assertThat(ask("/metrics").body()).doesNotContain("secret");
  }

  @Test
  void the_policy_page_shows_every_route_and_its_retention() throws Exception {
    start(
        setup ->
            setup
                .route("POST /payments/**", "retention", "72h")
                .route("/x<script>", "required", "true"));
    HttpResponse<String> page = ask("/docs/idempotency");
    assertThat(page.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
    assertThat(page.body())
        .contains("POST /payments/**")
        .contains("kept for 72h")
        .contains("kept for 24h")
        .contains("/x&lt;script&gt;")
        .doesNotContain("<script>");
  }

  @Test
  void the_front_page_leads_to_the_policy() throws Exception {
    start();
    HttpResponse<String> front =
        HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(admin("/")).build(), HttpResponse.BodyHandlers.ofString());
    assertThat(front.statusCode()).isEqualTo(302);
    assertThat(front.headers().firstValue("Location")).contains("/docs/idempotency");
  }

  @Test
  void what_is_not_there_says_what_is() throws Exception {
    start();
    HttpResponse<String> response = ask("/metric");
    assertThat(response.statusCode()).isEqualTo(404);
    assertThat(response.body()).contains("/metrics");
  }

  @Test
  void nothing_can_be_changed_here() throws Exception {
    start();
    HttpResponse<String> response =
        send(HttpRequest.newBuilder(admin("/metrics")).POST(BodyPublishers.ofString("x")));
    assertThat(response.statusCode()).isEqualTo(405);
    assertThat(response.headers().firstValue("Allow")).contains("GET, HEAD");
  }

  @Test
  void head_is_answered_without_a_body() throws Exception {
    start();
    var head =
        HttpRequest.newBuilder(admin("/health/live")).method("HEAD", BodyPublishers.noBody());
    assertThat(send(head).statusCode()).isEqualTo(200);
  }

  @Test
  void without_an_admin_port_everything_else_works() throws Exception {
    start(setup -> setup.admin = false);
    assertThat(gateway.adminPort()).isEqualTo(-1);
    assertProblem(send(post("/p", "b a d", "x")), 400, "key-malformed");
  }

  @Test
  void problems_tell_clients_nothing_of_the_admin_port() throws Exception {
    start();
    HttpResponse<String> problem = send(post("/p", "b a d", "x"));
    assertThat(problem.body()).doesNotContain("http:").doesNotContain("" + gateway.adminPort());
  }

  @Test
  void problems_link_to_the_page_that_clients_can_reach_if_it_is_named() throws Exception {
    start(setup -> setup.docs = URI.create("https://api.example/rules"));
    assertThat(send(post("/p", "b a d", "x")).body())
        .contains("\"type\":\"https://api.example/rules#key-malformed\"");
  }

  @Test
  void the_admin_port_is_not_the_clients_port() throws Exception {
    start();
    assertThat(send(get("/metrics")).body()).isEqualTo("1 /metrics ");
    assertThat(gateway.adminPort()).isNotEqualTo(gateway.port());
  }

  @Test
  void a_gateway_that_stops_is_not_ready() throws Exception {
    Gate gate = new Gate();
    service.on(
        "/slow",
        call -> {
          call.body();
          gate.pass();
          call.answer(200, "x");
        });
    start(setup -> setup.grace = Duration.ofSeconds(20));
    var running = sendAsync(payment("/slow", "k-1"));
    gate.awaitReached();
    Thread closing = new Thread(gateway::close);
    closing.start();
    eventually(
        () -> {
          try {
            return ask("/health/ready").body().equals("stopping\n");
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
    gate.open();
    assertFirst(running.join(), 200);
    closing.join();
  }
}
