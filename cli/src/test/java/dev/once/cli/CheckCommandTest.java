package dev.once.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.cli.demo.DemoServers;
import dev.once.cli.demo.PaymentsApi;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
class CheckCommandTest {

  private static final Pattern FLAG = Pattern.compile("`(--[a-z-]+)");

  @TempDir Path folder;

  @Test
  void wrong_flags_are_told_by_their_names() {
    Run style = Run.of("check", "http://localhost:1/x", "--key-style", "odd");
    assertThat(style.code()).isEqualTo(2);
    assertThat(style.errLines())
        .singleElement()
        .asString()
        .startsWith("--key-style: odd (expected: ");
    assertThat(Run.of("check", "http://localhost:1/x", "--parallel", "many").errLines())
        .containsExactly("--parallel: 'many' (expected: number)");
    assertThat(Run.of("check", "http://localhost:1/x", "--hedaer", "A: b").errLines())
        .containsExactly("--hedaer: unknown (did you mean --header?)");
    Path report = folder.resolve("no/report.json");
    assertThat(Run.of("check", "http://localhost:1/x", "--json", report.toString()).errLines())
        .containsExactly(
            "--json: %s (expected: a file that can be written, in a folder that is there)"
                .formatted(report));
    assertThat(Run.of("check").errLines())
        .containsExactly("URL: missing (expected: once check URL [OPTION...]; see --help)");
    assertThat(Run.of("check", "payments").errLines())
        .singleElement()
        .asString()
        .startsWith("url: ");
  }

  @Test
  void every_flag_of_the_suites_page_exists() throws IOException {
    List<String> named =
        Files.readString(Path.of("../http/conformance/README.md"))
            .lines()
            .filter(line -> line.startsWith("| `--"))
            .flatMap(row -> FLAG.matcher(row).results().map(flag -> flag.group(1)))
            .toList();
    String help = Run.of("check", "--help").out();
    assertThat(named)
        .contains("--method")
        .allSatisfy(flag -> assertThat(help).containsPattern(flag + "[ =]"));
  }

  @Test
  void a_server_that_is_not_there_is_told_in_one_line() {
    Run run = Run.of("check", "http://127.0.0.1:1/payments");
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.errLines()).hasSize(1);
  }

  @Test
  @Timeout(600)
  void a_service_that_knows_no_keys_breaks_rules() throws Exception {
    Path json = folder.resolve("report.json");
    Path junit = folder.resolve("report.xml");
    try (PaymentsApi api = PaymentsApi.start()) {
      Run run =
          Run.of(
              "check",
              api.url() + "/payments",
              "--json",
              json.toString(),
              "--junit",
              junit.toString(),
              "--request-timeout",
              "5s");
      assertThat(run.err()).isEmpty();
      assertThat(run.code()).isEqualTo(1);
      assertThat(run.out()).contains("Broken: ");
    }
    assertThat(Files.readString(json)).contains("\"broken\" : true");
    assertThat(Files.readString(junit)).contains("<testsuite");
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @Test
  @Timeout(600)
  void the_gateway_in_front_of_it_breaks_none() throws Exception {
    try (DemoServers stage = DemoServers.open(0, freePort())) {
      String payments = stage.gateway() + "/payments";
      Run run =
          Run.of(
              "check",
              payments,
              "--count-url",
              stage.api().url() + "/payments",
              "--count-pointer",
              "/count",
              "--slow-header",
              "X-Slow: 1",
              "--reject-body",
              "{\"amount\":0}",
              "--fail-body",
              "{\"fail\":true}",
              "--second-header",
              "Authorization: Bearer b",
              "--required",
              "no");
      assertThat(run.out()).doesNotContain("FAILED");
      assertThat(run.code()).isZero();
    }
  }
}
