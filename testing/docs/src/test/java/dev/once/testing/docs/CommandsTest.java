package dev.once.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.cli.Main;
import dev.once.testing.docs.Page.Block;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Configurations and commands in the documents are what the gateway and {@code ./once} take. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class CommandsTest {

  private static final Pattern COMMAND = Pattern.compile("\\./once ([a-z]+)([^`|\\n]*)");
  private static final Pattern FLAG = Pattern.compile("(?<=\\s)--[a-z][a-z-]*");

  /** Those that the command line has; the others are the script's own. */
  private static final List<String> WITH_HELP =
      List.of("gateway", "store", "config", "check", "explain", "demo");

  @TempDir private Path folder;

  record Command(Page page, String name, String arguments) {

    @Override
    public String toString() {
      return page + " ./once " + name + arguments;
    }
  }

  private static String run(int expected, String... arguments) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    int code = Main.run(arguments, InputStream.nullInputStream(), out, out);
    String said = bytes.toString(StandardCharsets.UTF_8);
    assertThat(code).as(said).isEqualTo(expected);
    return said;
  }

  static Stream<Block> gatewayConfigurations() {
    return Page.blocks("yaml").filter(block -> block.text().contains("upstream:"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("gatewayConfigurations")
  void the_gateway_takes_each_of_its_configurations(Block block) throws Exception {
    Path file = Files.writeString(folder.resolve("once.yaml"), block.text());
    assertThat(run(0, "config", "check", file.toString())).contains("is right");
  }

  @Test
  void every_yaml_is_of_the_gateway_or_of_spring() {
    assertThat(gatewayConfigurations()).isNotEmpty();
    // The starter's own tests start an application with the latter.
    assertThat(Page.blocks("yaml"))
        .allSatisfy(block -> assertThat(block.text()).containsAnyOf("upstream:", "once:"));
  }

  static Stream<Command> commands() {
    List<Command> commands = new ArrayList<>();
    for (Page page : Page.all()) {
      if (!page.toString().equals("CHANGELOG.md") && !page.toString().contains("decisions")) {
        Matcher command = COMMAND.matcher(String.join("\n", page.lines()));
        while (command.find()) {
          commands.add(new Command(page, command.group(1), command.group(2)));
        }
      }
    }
    return commands.stream().distinct();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("commands")
  void every_command_is_there_and_has_each_flag(Command command) throws Exception {
    assertThat(Files.readString(Page.ROOT.resolve("once"))).contains("./once " + command.name());
    if (WITH_HELP.contains(command.name())) {
      String help = run(0, command.name(), "--help");
      Matcher flag = FLAG.matcher(command.arguments());
      while (flag.find()) {
        assertThat(help).contains(flag.group());
      }
    }
  }
}
