package consumer.testkitjunit;

import static dev.once.test.OnceAssertions.assertThat;

import dev.once.core.Codec;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Scope;
import dev.once.test.OnceTest;
import dev.once.test.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@OnceTest
class PaymentTest {

  @Test
  void aPaymentHappensOnce(Once once, TestClock clock) throws Exception {
    Operation payment = Operation.of(Scope.GLOBAL, "key-1", "POST", "/payments");
    once.call(payment, Codec.text(), () -> "paid");
    clock.passes(Duration.ofHours(1));
    once.call(payment, Codec.text(), () -> "paid again");
    assertThat(once).operation("key-1").wasExecutedOnce().wasReplayed(1);
  }
}
