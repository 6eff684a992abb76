package dev.once.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** What GitHub reads, and what a reader sees first, is well-formed. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ProjectFilesTest {

  private static final Path GITHUB = Page.ROOT.resolve(".github");

  static Stream<Path> yaml() {
    return Page.files(".yml", ".yaml").stream().filter(file -> file.startsWith(GITHUB));
  }

  private static Object load(Path file) throws IOException {
    LoaderOptions options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    return new Yaml(new SafeConstructor(options)).load(Files.readString(file));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("yaml")
  void the_yaml_of_github_is_well_formed(Path file) throws IOException {
    assertThat(load(file)).isInstanceOf(Map.class);
  }

  @Test
  void the_public_workflow_runs_what_the_private_one_runs() throws IOException {
    Path workflow = GITHUB.resolve("workflows/ci.yml");
    assertThat(Files.readString(workflow)).contains("run: .ci/run");
    assertThat(Page.ROOT.resolve(".ci/run")).isExecutable();
  }

  @Test
  void what_dependabot_leaves_alone_is_a_dependency_of_ours() throws IOException {
    StringBuilder poms = new StringBuilder();
    for (Path pom : Page.files("pom.xml")) {
      poms.append(Files.readString(pom));
    }
    Matcher ignored =
        Pattern.compile("dependency-name: \"?([\\w.-]+):([\\w.*-]+)")
            .matcher(Files.readString(GITHUB.resolve("dependabot.yml")));
    assertThat(ignored.results())
        .isNotEmpty()
        .allSatisfy(
            found ->
                assertThat(poms.toString()).contains("<groupId>" + found.group(1) + "</groupId>"));
  }

  @Test
  void every_picture_is_well_formed() throws Exception {
    List<Path> pictures = Page.files(".svg");
    assertThat(pictures).isNotEmpty();
    for (Path picture : pictures) {
      DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(picture.toFile());
    }
  }

  @Test
  void no_line_of_the_readme_is_longer_than_a_screen_is_wide_unless_it_is_a_table() {
    Page readme = Page.read(Page.ROOT.resolve("README.md"));
    assertThat(IntStream.range(0, readme.lines().size()).boxed())
        .filteredOn(i -> readme.lines().get(i).length() > 120)
        .filteredOn(i -> !readme.lines().get(i).startsWith("|"))
        .extracting(i -> "README.md:" + (i + 1))
        .isEmpty();
  }
}
