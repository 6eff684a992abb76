package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.once.http.servlet.Containers.InEachContainer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** What the log says of a handler that fails. The build sends it to a file. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class ErrorLogTest {

  private static final String FILE = System.getProperty("org.slf4j.simpleLogger.logFile", "");

  @InEachContainer
  void the_line_has_the_masked_key_the_method_and_the_path(Containers kind) throws Exception {
    assumeTrue(!FILE.isEmpty(), "the log goes to a file only in the build");
    LoggerFactory.getLogger(ErrorLogTest.class); // the first one empties a file of an earlier build
    int before = lines().size();
    try (Server server =
        Server.start(
            kind,
            (request, response) -> {
              throw new IllegalStateException("as it should");
            })) {
      assertThat(server.post("order-0001-of-alice", "{}").statusCode()).isEqualTo(500);
    }
    assertThat(lines().stream().skip(before))
        .filteredOn(line -> line.contains("ERROR dev.once.") && line.endsWith(": failed"))
        .singleElement()
        .asString()
        .matches(".* orde\\*{4}lice#[0-9a-f]{6} POST /\\S+ from \\S+ \\(.*\\): failed");
  }

  private static List<String> lines() throws IOException {
    return Files.readAllLines(Path.of(FILE));
  }
}
