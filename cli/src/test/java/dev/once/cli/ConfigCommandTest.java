package dev.once.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ConfigCommandTest {

  @TempDir Path folder;

  @Test
  void a_right_file_is_shown_with_the_policy_in_force() {
    String file = "../examples/gateway/booking.yaml";
    Run run = Run.of("config", "check", file, "--lease", "1m");
    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isZero();
    assertThat(run.outLines())
        .startsWith(file + " is right.")
        .contains("POST /refunds   profile booking, " + file + ":28")
        .contains("* lease             1m                        --lease");
  }

  @Test
  void all_values_are_shown_if_asked_for() {
    String file = "../examples/gateway/booking.yaml";
    assertThat(Run.of("config", "check", file, "--all").outLines())
        .hasSizeGreaterThan(Run.of("config", "check", file).outLines().size());
  }

  @Test
  void a_wrong_file_is_told_line_by_line() throws Exception {
    Path file = folder.resolve("once.yaml");
    Files.writeString(file, "upstream: http://localhost:1\nlease: x\nkeep: everything\n");
    Run run = Run.of("config", "check", file.toString());
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.errLines())
        .containsExactly(
            file + ":2: lease: 'x' (expected: a duration such as 30s, 5m, 24h or 7d)",
            file + ":3: keep: 'everything' (expected: answer or status-only)");
  }

  @Test
  void wrong_usage_is_refused() {
    assertThat(Run.of("config", "chekc", "x.yaml").errLines())
        .containsExactly("once config: 'chekc' (expected: check)");
    Run without = Run.of("config", "check");
    assertThat(without.code()).isEqualTo(2);
    assertThat(without.errLines())
        .containsExactly(
            "FILE: missing (expected: once config check FILE [--all] [OPTION...]; see --help)");
    assertThat(Run.of("config", "check", "no.yaml").errLines())
        .containsExactly("no.yaml: there is no such file in " + Path.of("").toAbsolutePath());
  }
}
