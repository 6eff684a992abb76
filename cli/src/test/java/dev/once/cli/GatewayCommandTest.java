package dev.once.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.gateway.config.GatewayValue;
import dev.once.http.semantics.PolicyValue;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
class GatewayCommandTest {

  private static final String DURATION = "(expected: a duration such as 30s, 5m, 24h or 7d)";

  @TempDir Path folder;

  @Test
  void every_value_is_a_flag_with_its_default() {
    String help = Run.of("gateway", "--help").out();
    Arrays.stream(PolicyValue.values()).forEach(v -> assertThat(help).contains("--" + v.label()));
    Arrays.stream(GatewayValue.values()).forEach(v -> assertThat(help).contains("--" + v.label()));
    assertThat(help).contains("(0.0.0.0:8080)", "(24h)", "(sqlite:once.db)");
  }

  @Test
  void flags_that_there_are_not_are_told_with_the_nearest_ones() {
    Run run = Run.of("gateway", "--retentoin", "2h", "--upsteam=http://localhost:3000");
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.errLines())
        .containsExactly(
            "--retentoin: unknown (did you mean --retention?)",
            "--upsteam: unknown (did you mean --upstream?)");
  }

  @Test
  void wrong_values_are_told_one_in_a_line() {
    Run run =
        Run.of("gateway", "--ttl", "abc", "--required=perhaps", "--upstream", "http://localhost:1");
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.errLines())
        .containsExactlyInAnyOrder(
            "--ttl: 'abc' " + DURATION, "--required: 'perhaps' (expected: true or false)");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void a_flag_without_its_value_and_a_word_too_many_are_refused() {
    assertThat(Run.of("gateway", "--retention").errLines())
        .containsExactly("--retention: no value (expected: DURATION)");
    assertThat(Run.of("gateway", "now").errLines())
        .containsExactly("'now': not expected here (see --help)");
    assertThat(
            Run.of("gateway", "--lease", "1m", "--lease", "2m", "--upstream", "http://h")
                .errLines())
        .containsExactly("--lease: given 2 times (expected: once)");
  }

  @Test
  void a_wrong_file_and_environment_are_told_with_line_and_name() throws Exception {
    Path file = folder.resolve("once.yaml");
    Files.writeString(file, "upstream: http://localhost:1\nretentoin: 2h\n");
    Run run =
        Run.in(Map.of("IDEMPOTENCY_KEY_TTL", "soon"), "", "gateway", "--config", file.toString());
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.errLines())
        .containsExactly(
            file + ":2: retentoin: unknown (did you mean retention?)",
            "IDEMPOTENCY_KEY_TTL: 'soon' " + DURATION);
  }

  @Test
  @Timeout(600)
  void a_port_that_is_taken_is_told_in_one_line() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      Run run =
          Run.of(
              "gateway",
              "--upstream",
              "http://localhost:1",
              "--store",
              "memory:",
              "--admin",
              "none",
              "--listen",
              address);
      assertThat(run.code()).isEqualTo(2);
      assertThat(run.errLines()).singleElement().asString().startsWith("listen: " + address);
    }
  }

  @Test
  @Timeout(600)
  void a_file_without_certificates_to_trust_is_told_at_the_start() throws Exception {
    Path file = Files.writeString(folder.resolve("ca.pem"), "no certificate");
    Run run = started("--upstream", "https://h:1", "--upstream-ca", file.toString());
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.errLines())
        .containsExactly("upstream-ca: " + file + " (expected: one certificate or more, in PEM)");
  }

  @Test
  @Timeout(600)
  void a_host_to_listen_on_that_nobody_knows_is_told_in_one_line() {
    Run run = started("--upstream", "http://h:1", "--listen", "no-such-host.invalid:18080");
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.errLines())
        .containsExactly(
            "listen: no-such-host.invalid:18080: unknown host (expected: an address of this machine,"
                + " such as 127.0.0.1, or 0.0.0.0 for all of them)");
  }

  private static Run started(String... more) {
    List<String> words = new ArrayList<>(List.of("gateway", "--store", "memory:"));
    words.addAll(List.of("--admin", "none"));
    words.addAll(List.of(more));
    return Run.of(words.toArray(String[]::new));
  }

  @Test
  @Timeout(600)
  void it_says_what_listens_where_reloads_its_file_and_stops_when_told() throws Exception {
    Path file = folder.resolve("once.yaml");
    String routes = "routes:\n  - match: POST /payments\n    required: true\n";
    Files.writeString(file, routes);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    AtomicInteger code = new AtomicInteger(-1);
    String[] arguments = {
      "gateway",
      "--upstream",
      "http://127.0.0.1:1",
      "--listen",
      "127.0.0.1:0",
      "--admin",
      "127.0.0.1:0",
      "--store",
      "memory:",
      "--config",
      file.toString(),
      "--grace",
      "0s"
    };
    Shell shell =
        new Shell(
            new ByteArrayInputStream(new byte[0]),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            Map.of());
    Thread running = new Thread(() -> code.set(Main.run(arguments, shell)));
    running.start();
    String told = waitFor(out, "policy ", running);
    assertThat(told.lines().map(String::stripTrailing))
        .startsWith("once gateway is ready")
        .contains("  upstream  http://127.0.0.1:1", "  store     memory:")
        .contains("  profile   ietf, 1 route")
        .anyMatch(line -> line.matches("  policy +http://127.0.0.1:\\d+/docs/idempotency"));
    Matcher clients = Pattern.compile("clients +(\\S+)").matcher(told);
    assertThat(clients.find()).isTrue();
    URI payments = URI.create(clients.group(1) + "/payments");
    assertThat(post(payments)).isEqualTo(400);

    Files.writeString(file, routes.replace("true", "false"));
    while (post(payments) == 400) {
      Thread.sleep(100);
    }
    assertThat(post(payments)).isEqualTo(502);

    running.interrupt();
    running.join();
    assertThat(code).hasValue(0);
    assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  private static String waitFor(ByteArrayOutputStream out, String text, Thread running)
      throws InterruptedException {
    while (running.isAlive() && !out.toString(StandardCharsets.UTF_8).contains(text)) {
      Thread.sleep(20);
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  private static int post(URI url) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(url).POST(BodyPublishers.ofString("{}")).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode();
  }

  @Test
  void a_boolean_flag_needs_no_value() {
    for (List<String> flags :
        List.of(
            List.of("--required"),
            List.of("--required=true"),
            List.of("--required", "yes"),
            List.of("--required", "--lease", "1m"))) {
      Run run = explain(flags);
      assertThat(run.outLines()).contains("verdict      refused");
    }
    assertThat(explain(List.of("--required", "no")).out()).contains("passes as it is");
    assertThat(explain(List.of("--required=off")).out()).contains("passes as it is");
  }

  /** The URL comes last, where a flag could take it for its value. */
  private static Run explain(List<String> flags) {
    return Run.of(
        java.util.stream.Stream.of(List.of("explain", "-X", "POST"), flags, List.of("/payments"))
            .flatMap(List::stream)
            .toArray(String[]::new));
  }
}
