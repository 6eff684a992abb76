package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Keys of bean methods are texts. One that says where something is in memory would be another with
 * each call, and the method run twice.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class KeyTextTest {

  private static final AtomicInteger RUNS = new AtomicInteger();

  private static ConfigurableApplicationContext context;
  private static Billing billing;

  @BeforeAll
  static void start() {
    context = Application.of(Billing.class).withoutWeb().start();
    billing = context.getBean(Billing.class);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  /** Has no toString. */
  static final class Item {
    public String getId() {
      return "7";
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // as others have them
  record Picture(byte[] bytes) {}

  record Line(String text, Item item) {}

  record Order(String tenant, int number) {}

  /** With a text of its own. */
  @SuppressWarnings("ArrayRecordComponent")
  record Digest(byte[] bytes) {
    @Override
    public String toString() {
      return "digest-" + bytes[0];
    }
  }

  static class Billing {
    @Idempotent(key = "#a0", fingerprint = "''")
    public int byAnything(Object key) {
      return RUNS.incrementAndGet();
    }

    @Idempotent(key = "'order-' + #a0", fingerprint = "''")
    public int joined(Object key) {
      return RUNS.incrementAndGet();
    }

    @Idempotent(key = "'order' + #a0", fingerprint = "''")
    public int joinedWithoutASign(Object key) {
      return RUNS.incrementAndGet();
    }

    @Idempotent(key = "{#a0, #a1}", fingerprint = "''")
    public int listed(String one, Object other) {
      return RUNS.incrementAndGet();
    }
  }

  static Stream<Object> inMemory() {
    return Stream.of(
        new Picture(new byte[] {1}),
        new Line("a", new Item()),
        List.of("a", new Item()),
        Map.of("a", new byte[] {1}),
        List.of(new String[][] {{"a"}}),
        List.of(Map.of(new Item(), 1)),
        List.of((Runnable) () -> {}));
  }

  @ParameterizedTest
  @MethodSource("inMemory")
  void a_key_part_of_which_says_only_where_it_is_in_memory_is_refused(Object key) {
    int before = RUNS.get();
    assertThatThrownBy(() -> billing.byAnything(key))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("#a0 is a " + key.getClass().getTypeName() + " with ")
        .hasMessageContaining("whose text is not its content");
    assertThat(RUNS).hasValue(before);
  }

  @Test
  void what_an_expression_puts_together_is_refused_if_part_of_it_says_only_where_it_is() {
    int before = RUNS.get();
    for (Runnable call :
        List.<Runnable>of(
            () -> billing.joined(new Item()),
            () -> billing.joinedWithoutASign(new Item()),
            () -> billing.listed("a", new byte[] {1}))) {
      assertThatThrownBy(call::run)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("whose text is not its content");
    }
    assertThat(RUNS).hasValue(before);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bob@cafe",
        "bob@example.com",
        "a.b.Point@ff",
        "int@1",
        "x@",
        "[A@12",
        "é@1b6d35",
        "wallet/0xdeadbeef@1",
        "scores[I@2"
      })
  void a_text_that_only_looks_like_it_is_a_key(String key) {
    int first = billing.byAnything(key);
    assertThat(billing.byAnything(key)).isEqualTo(first);
    assertThat(billing.joined(key)).isEqualTo(billing.joined(key));
  }

  @Test
  void what_has_a_text_of_its_own_is_a_key() {
    int first = billing.byAnything(new Order("bob@cafe", 1));
    assertThat(billing.byAnything(new Order("bob@cafe", 1))).isEqualTo(first);
    assertThat(billing.byAnything(new Order("bob@cafe", 2))).isNotEqualTo(first);
    int digest = billing.byAnything(new Digest(new byte[] {1}));
    assertThat(billing.byAnything(new Digest(new byte[] {1}))).isEqualTo(digest);
  }
}
