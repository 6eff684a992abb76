package dev.once.http.surfaces;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class TableTest {

  private static final Path PAGE = Path.of("../../docs/surfaces.md");

  @Test
  void the_page_has_every_row_of_the_suite_and_no_other() throws Exception {
    Path current = Path.of("target/surfaces.md");
    Files.writeString(current, Table.markdown());
    assertThat(Files.readString(PAGE))
        .as("the end of docs/surfaces.md (expected: what is in http/surfaces/%s)", current)
        .endsWith(Table.markdown());
  }

  @Test
  void titles_are_told_apart() {
    assertThat(Situations.all().map(situation -> situation.title)).doesNotHaveDuplicates();
  }
}
