package dev.once.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.once.codecs.jackson.JacksonCodecs;
import dev.once.core.Codec;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Scope;
import dev.once.stores.jdbc.JdbcStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadmeTest {

  @TempDir private Path folder;
  private int charged;

  @Test
  @DisplayName("the README's snippet charges once")
  void snippet() throws Exception {
    Receipt first = pay("550e8400-e29b-41d4-a716-446655440000", "{\"amount\":10}");
    Receipt again = pay("550e8400-e29b-41d4-a716-446655440000", "{\"amount\":10}");
    assertThat(again).isEqualTo(first);
    assertThat(charged).isEqualTo(1);
  }

  record Receipt(int number, String body) {}

  private Receipt pay(String idempotencyKey, String body) throws Exception {
    Path file = folder.resolve("once.db");
    // README begins
    Codec<Receipt> receipts = JacksonCodecs.create().of(Receipt.class); // your own type, as JSON
    try (JdbcStore store = JdbcStore.sqlite(file);
        Once once = Once.on(store)) {
      Scope alice = Scope.of("acme", "alice"); // whose key it is: tenant and user
      Operation payment = Operation.of(alice, idempotencyKey, "POST", "/payments", body);
      return once.call(payment, receipts, () -> charge(body)); // now, or as recorded
    }
    // README ends
  }

  private Receipt charge(String body) {
    charged++;
    return new Receipt(charged, body);
  }

  @Test
  @DisplayName("the README has this test's snippet")
  void same() throws Exception {
    Path guide = Path.of("../../README.md");
    assumeTrue(
        Files.exists(guide), "this is a copy of the example, and the README is not beside it");
    List<String> source =
        between(
            Path.of("src/test/java/dev/once/examples/quickstart/ReadmeTest.java"),
            "    // README begins",
            "    // README ends");
    assertThat(Files.readAllLines(guide))
        .containsSequence(source.stream().map(line -> line.substring(4)).toList());
  }

  private static List<String> between(Path file, String first, String last) throws Exception {
    List<String> lines = new ArrayList<>(Files.readAllLines(file));
    List<String> rest = lines.subList(lines.indexOf(first) + 1, lines.size());
    return rest.subList(0, rest.indexOf(last));
  }
}
