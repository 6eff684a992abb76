package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.servlet.Containers.InEachContainer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;

/** What the log says of a handler that fails. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class ErrorLogTest {

  @InEachContainer
  void the_line_has_the_masked_key_the_method_and_the_path(Containers kind) throws Exception {
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    PrintStream before = System.err;
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try (Server server =
        Server.start(
            kind,
            (request, response) -> {
              throw new IllegalStateException("as it should");
            })) {
      assertThat(server.post("order-0001-of-alice", "{}").statusCode()).isEqualTo(500);
    } finally {
      System.setErr(before);
    }
    assertThat(log.toString(StandardCharsets.UTF_8).lines())
        .filteredOn(line -> line.contains("ERROR dev.once.") && line.endsWith(": failed"))
        .singleElement()
        .asString()
        .matches(".* orde\\*{4}lice#[0-9a-f]{6} POST /\\S+ from \\S+ \\(.*\\): failed");
  }
}
