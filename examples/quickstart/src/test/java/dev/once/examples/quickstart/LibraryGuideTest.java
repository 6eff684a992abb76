package dev.once.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.once.core.Once;
import dev.once.core.Refusal.Reason;
import dev.once.core.RefusedException;
import dev.once.core.Scope;
import dev.once.examples.quickstart.Payments.Receipt;
import dev.once.stores.jdbc.JdbcStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The class that docs/library.md shows. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LibraryGuideTest {

  private static final String KEY = "550e8400-e29b-41d4-a716-446655440000";
  private static final Scope ALICE = Scope.of("acme", "alice");

  @TempDir private Path folder;
  private JdbcStore store;
  private Once once;
  private Payments payments;

  @BeforeEach
  void open() {
    store = JdbcStore.sqlite(folder.resolve("once.db"));
    once = Once.on(store);
    payments = new Payments(once);
  }

  @AfterEach
  void close() {
    once.close();
    store.close();
  }

  @Test
  void the_guide_has_this_class() throws Exception {
    Path page = Path.of("../../docs/library.md");
    assumeTrue(Files.exists(page), "this is a copy of the example, and the guide is not beside it");
    String source =
        Files.readString(Path.of("src/test/java/dev/once/examples/quickstart/Payments.java"));
    String guide = Files.readString(page);
    assertThat(guide).contains("```java\n" + source.substring(source.indexOf("import ")) + "```");
  }

  @Test
  void a_payment_that_is_sent_again_gets_the_same_receipt() throws Exception {
    Receipt first = payments.pay(ALICE, KEY, 10);
    assertThat(payments.pay(ALICE, KEY, 10)).isEqualTo(first);
  }

  @Test
  void it_gets_the_same_receipt_after_a_restart() throws Exception {
    Receipt first = payments.pay(ALICE, KEY, 10);
    close();
    open();
    assertThat(payments.pay(ALICE, KEY, 10)).isEqualTo(first);
  }

  @Test
  void another_amount_with_the_same_key_is_refused() throws Exception {
    payments.pay(ALICE, KEY, 10);
    assertThatThrownBy(() -> payments.pay(ALICE, KEY, 99))
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.refusal().reason()).isEqualTo(Reason.MISMATCH));
  }

  @Test
  void the_same_key_of_another_tenant_is_another_payment() throws Exception {
    Receipt first = payments.pay(ALICE, KEY, 10);
    assertThat(payments.pay(Scope.of("other", "alice"), KEY, 10)).isNotEqualTo(first);
  }
}
