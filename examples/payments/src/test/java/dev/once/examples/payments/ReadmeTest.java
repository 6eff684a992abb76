package dev.once.examples.payments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The README's commands, run as they stand there. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class ReadmeTest {

  private static final Pattern BLOCK = Pattern.compile("```\n(.*?)```", Pattern.DOTALL);

  @Test
  void the_commands_show_what_the_readme_says() throws Exception {
    assumeTrue(
        run("curl --help all").contains("--json"),
        "no curl with --json on the PATH, so the README's lines were not run; get 7.82 or later");
    Path here = Path.of("README.md"); // or beside, for the module that has the sources only
    String readme = Files.readString(Files.exists(here) ? here : Path.of("../payments/README.md"));
    List<String> blocks =
        BLOCK
            .matcher(readme.substring(readme.indexOf("## Try it")))
            .results()
            .map(it -> it.group(1))
            .toList();
    try (Example example = Example.start()) {
      List<String> shown =
          blocks.stream()
              .map(block -> block.replace("localhost:8080", example.url().getAuthority()))
              .map(ReadmeTest::run)
              .toList();
      assertThat(shown).hasSize(4);
      assertThat(shown.get(0))
          .containsOnlyOnce("Idempotent-Replayed: true")
          .contains(
              "{\"balance\":1500,\"entries\":[{\"id\":1,\"what\":\"charge 1\",\"amount\":1500}]}");
      assertThat(shown.get(1)).contains("HTTP/1.1 422", "HTTP/1.1 402", "The card was declined.");
      assertThat(shown.get(2)).containsOnlyOnce("HTTP/1.1 201").containsOnlyOnce("HTTP/1.1 409");
      assertThat(shown.get(2)).containsOnlyOnce("Retry-After: ");
      assertThat(shown.get(3).split("Idempotent-Replayed: true", -1)).hasSize(1 + 2);
      assertThat(shown.get(3)).containsOnlyOnce("payout by cardnet").contains("{\"balance\":1800,");
    }
  }

  private static String run(String commands) {
    try {
      Process shell = new ProcessBuilder("bash", "-c", commands).start();
      return new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
