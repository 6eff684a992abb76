package dev.once.http.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.conformance.report.Rule;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ReadmeTest {

  private static String readme() throws IOException {
    return Files.readString(Path.of("README.md"));
  }

  @Test
  @DisplayName("the README lists every rule, with its level, section and title")
  void the_readme_lists_every_rule_with_its_level_section_and_title() throws IOException {
    List<String> listed =
        readme().lines().filter(line -> line.matches("\\| `(draft|beyond)-.*")).toList();
    List<String> rules = Conformance.rules().stream().map(ReadmeTest::row).toList();
    assertThat(listed).containsExactlyElementsOf(rules);
  }

  private static String row(Rule rule) {
    return rule.ofDraft()
        ? "| `%s` | %s | %s | %s |".formatted(rule.id(), rule.level(), rule.section(), rule.title())
        : "| `%s` | %s |".formatted(rule.id(), rule.title());
  }

  @Test
  @DisplayName("the README names a flag for every method of the builder")
  void the_readme_names_a_flag_for_every_method_of_the_builder() throws IOException {
    String readme = readme();
    assertThat(TargetBuilder.class.getDeclaredMethods())
        .filteredOn(method -> Modifier.isPublic(method.getModifiers()))
        .extracting(Method::getName)
        .filteredOn(name -> !List.of("build", "noMarker").contains(name))
        .isNotEmpty()
        .allSatisfy(name -> assertThat(readme).contains("`--" + flag(name)));
  }

  private static String flag(String method) {
    return Arrays.stream(method.split("(?=[A-Z])"))
        .map(part -> part.toLowerCase(Locale.ROOT))
        .reduce((a, b) -> a + "-" + b)
        .orElseThrow();
  }
}
