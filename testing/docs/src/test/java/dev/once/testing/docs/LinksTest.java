package dev.once.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.testing.docs.Page.Link;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Links between the documents, and names of tests in them, lead somewhere. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LinksTest {

  private static List<Link> links() {
    return Page.all().stream().flatMap(page -> page.links().stream()).toList();
  }

  @Test
  void every_link_to_a_file_has_its_file() {
    assertThat(links())
        .hasSizeGreaterThan(50)
        .filteredOn(link -> !Files.exists(target(link)))
        .isEmpty();
  }

  @Test
  void every_link_to_a_heading_has_its_heading() {
    assertThat(links())
        .filteredOn(link -> link.target().contains("#") && target(link).toString().endsWith(".md"))
        .filteredOn(link -> !Page.read(target(link)).anchors().contains(heading(link)))
        .isEmpty();
  }

  @Test
  void every_guide_and_every_decision_is_in_its_index() {
    for (String folder : List.of("docs", "docs/decisions")) {
      Path index = Page.ROOT.resolve(folder).resolve("README.md");
      List<Path> listed = Page.read(index).links().stream().map(LinksTest::target).toList();
      Stream<Path> pages =
          Page.files(".md").stream()
              .filter(file -> file.getParent().equals(index.getParent()) && !file.equals(index));
      assertThat(pages).isNotEmpty().isSubsetOf(listed);
    }
  }

  @Test
  void every_test_that_a_guide_names_is_there() {
    Pattern name = Pattern.compile("`(\\w+Test)\\b[^`]*`");
    Set<String> tests =
        Page.files("Test.java").stream()
            .map(file -> file.getFileName().toString().replace(".java", ""))
            .collect(Collectors.toSet());
    assertThat(Page.all())
        .filteredOn(page -> page.file().getParent().equals(Page.ROOT.resolve("docs")))
        .flatExtracting(page -> name.matcher(String.join("\n", page.lines())).results().toList())
        .extracting(found -> found.group(1))
        .hasSizeGreaterThan(50)
        .filteredOn(named -> !tests.contains(named))
        .isEmpty();
  }

  private static Path target(Link link) {
    String path = link.target().replaceFirst("#.*", "");
    Path file = link.page().file();
    return path.isEmpty() ? file : file.resolveSibling(path).normalize();
  }

  private static String heading(Link link) {
    return link.target().replaceFirst(".*#", "");
  }
}
