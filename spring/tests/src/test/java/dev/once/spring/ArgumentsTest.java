package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonProperty.Access;
import dev.once.core.RefusedException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Arguments are told apart by their JSON. So those of which it would lack something are refused: at
 * the start where their type says so, or else before the method runs.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ArgumentsTest {

  interface Payable {
    long cents();
  }

  /** Has an accessor, and no getter: {@code {}} for Jackson 3. */
  static final class Money implements Payable {
    private final long cents;

    Money(long cents) {
      this.cents = cents;
    }

    @Override
    public long cents() {
      return cents;
    }
  }

  record Payment(@JsonProperty(access = Access.WRITE_ONLY) String card, int amount) {}

  static class OfMoney {
    @Idempotent(key = "#a0")
    public void pay(String key, Money money) {}
  }

  static class OfPayments {
    @Idempotent(key = "#a0")
    public void pay(String key, Payment payment) {}
  }

  @ParameterizedTest
  @ValueSource(classes = {OfMoney.class, OfPayments.class})
  void an_argument_that_would_not_be_all_in_the_fingerprint_stops_the_start(Class<?> bean) {
    assertThatThrownBy(() -> Application.of(bean).withoutWeb().start().close())
        .isInstanceOf(OnceConfigurationException.class)
        .hasMessageContaining("another one be taken for the same");
  }

  static class Said {
    final AtomicInteger runs = new AtomicInteger();

    @Idempotent(key = "#a0", fingerprint = "{#a1.card, #a1.amount}")
    public int pay(String key, Payment payment) {
      return runs.incrementAndGet();
    }
  }

  @Test
  void where_the_fingerprint_is_said_another_card_is_another_argument() {
    try (ConfigurableApplicationContext context = Application.of(Said.class).withoutWeb().start()) {
      Said said = context.getBean(Said.class);
      assertThat(said.pay("key", new Payment("4242", 1))).isEqualTo(1);
      assertThat(said.pay("key", new Payment("4242", 1))).isEqualTo(1);
      assertThatThrownBy(() -> said.pay("key", new Payment("5555", 1)))
          .isInstanceOf(RefusedException.class);
    }
  }

  static class OfAnyPayable {
    private static final AtomicInteger RUNS = new AtomicInteger();

    @Idempotent(key = "#a0")
    public void pay(String key, Payable payable) {
      RUNS.incrementAndGet();
    }
  }

  @Test
  void an_argument_of_which_nothing_is_written_is_refused_before_the_method_runs() {
    try (ConfigurableApplicationContext context =
        Application.of(OfAnyPayable.class).withoutWeb().start()) {
      OfAnyPayable bean = context.getBean(OfAnyPayable.class);
      assertThatThrownBy(() -> bean.pay("key", new Money(1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("nothing ran. Say what tells one request from another");
      assertThat(OfAnyPayable.RUNS).hasValue(0);
    }
  }
}
