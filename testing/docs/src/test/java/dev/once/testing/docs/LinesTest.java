package dev.once.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Documents are read in terminals and diffs, too. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LinesTest {

  /** Not code, nor what Markdown cannot break: rows of tables, pictures, long addresses. */
  @Test
  void no_line_of_prose_has_more_than_120_characters() {
    assertThat(Page.all())
        .flatExtracting(LinesTest::longLines)
        .as("lines to break at 120 characters")
        .isEmpty();
  }

  private static List<String> longLines(Page page) {
    List<String> prose = page.prose();
    return IntStream.range(0, prose.size())
        .filter(i -> prose.get(i).length() > 120)
        .filter(i -> !prose.get(i).matches("\\|.*|!\\[.*|\\S+"))
        .mapToObj(i -> page + ":" + (i + 1))
        .toList();
  }
}
