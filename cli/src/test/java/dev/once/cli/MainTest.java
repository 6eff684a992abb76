package dev.once.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class MainTest {

  @Test
  void without_arguments_it_says_what_there_is() {
    assertThat(Run.of().code()).isZero();
    assertThat(Run.of().out()).contains("demo", "gateway", "config check", "check URL", "explain");
    assertThat(Run.of("--help")).isEqualTo(Run.of());
  }

  @Test
  void a_command_that_there_is_not_is_told_with_the_nearest_one() {
    Run slip = Run.of("gatway");
    assertThat(slip.code()).isEqualTo(2);
    assertThat(slip.errLines()).containsExactly("once: gatway: unknown (did you mean gateway?)");
    assertThat(Run.of("brew").errLines())
        .containsExactly(
            "once: brew: unknown (expected: gateway, store, config, check, explain, demo)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"gateway", "store", "config", "check", "explain", "demo"})
  void every_command_explains_itself_with_examples(String command) {
    Run help = Run.of(command, "--help");
    assertThat(help.code()).isZero();
    assertThat(help.err()).isEmpty();
    assertThat(help.out()).startsWith("Usage: once " + command).contains("Examples:\n");
    assertThat(help.outLines()).allMatch(line -> line.length() <= 100);
  }

  @Test
  void out_of_memory_is_told_in_a_line() {
    InputStream tooMuch =
        new InputStream() {
          @Override
          public int read() {
            throw new OutOfMemoryError("Java heap space");
          }

          @Override
          public int read(byte[] bytes, int from, int length) {
            return read();
          }
        };
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code;
    try {
      code =
          Main.run(new String[] {"explain"}, tooMuch, new PrintStream(out), new PrintStream(err));
    } catch (OutOfMemoryError e) {
      throw new AssertionError("it ends the process", e); // as it is, it would end the tests
    }
    assertThat(code).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith("once: out of memory (expected: ")
        .hasLineCount(1);
    assertThat(out.size()).isZero();
  }

  @Test
  void it_can_be_run_with_streams_alone() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code =
        Main.run(
            new String[] {"--help"},
            new ByteArrayInputStream(new byte[0]),
            new PrintStream(out),
            new PrintStream(err));
    assertThat(code).isZero();
    assertThat(out.size()).isPositive();
    assertThat(err.size()).isZero();
  }
}
