package dev.once.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.testing.docs.Page.Block;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every block of Java in the documents compiles against what is published. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class JavaSnippetsTest {

  private static final Pattern JAVA = Pattern.compile("(?m)^import |\\w\\(.*\\);$|\\) \\{$");

  private static List<JavaSnippet> snippets() {
    return Page.blocks("java").map(JavaSnippet::new).toList();
  }

  static Stream<JavaSnippet> compiled() {
    return snippets().stream().filter(snippet -> !snippet.isLeftOut());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("compiled")
  void every_java_snippet_compiles(JavaSnippet snippet) {
    assertThat(snippet.errors()).isEmpty();
  }

  @Test
  void a_snippet_that_is_not_compiled_says_why(TestReporter reporter) {
    List<JavaSnippet> leftOut = snippets().stream().filter(JavaSnippet::isLeftOut).toList();
    reporter.publishEntry("not compiled: " + leftOut.size() + "\n" + JavaSnippet.list(leftOut));
    assertThat(leftOut).allSatisfy(one -> assertThat(one.reasonToLeaveOut()).contains(" "));
  }

  @Test
  void every_block_has_a_language_so_that_no_java_hides_in_a_plain_one() {
    assertThat(Page.all().stream().flatMap(page -> page.blocks().stream()))
        .filteredOn(block -> block.language().isEmpty())
        .filteredOn(block -> JAVA.matcher(block.text()).find())
        .isEmpty();
  }

  @Test
  void a_mistake_in_a_snippet_is_found_with_its_page_and_its_line() {
    assertThat(errors("", "import java.util.List;\n\nclass A {\n  Lisst<String> all;\n}\n"))
        .singleElement()
        .asString()
        .startsWith("README.md:1 `Lisst<String> all;`: cannot find symbol");
  }

  @Test
  void what_a_snippet_uses_it_imports_or_the_comment_above_it_does() {
    assertThat(errors("java: class Any { void any() throws Exception { … } }", "Path.of(\"a\");\n"))
        .isNotEmpty();
    String imports = "java: import java.nio.file.Path; class Any { void any() { … } }";
    assertThat(errors(imports, "Path.of(\"a\");\n")).isEmpty();
    assertThat(errors("", "import java.nio.file.Path;\n\nPath.of(\"a\");\n")).isNotEmpty();
  }

  @Test
  void a_comment_above_a_block_belongs_to_it_only_if_nothing_is_in_between() {
    List<String> lines =
        List.of("<!-- a -->", "text", "```java", "```", "<!-- b", "c -->", "```java", "```");
    assertThat(new Page(Page.ROOT.resolve("README.md"), lines).blocks())
        .extracting(Block::comment)
        .containsExactly("", "b\nc");
  }

  private List<String> errors(String comment, String text) {
    Page page = new Page(Page.ROOT.resolve("README.md"), List.of());
    return new JavaSnippet(new Block(page, 1, "java", comment, text)).errors();
  }
}
