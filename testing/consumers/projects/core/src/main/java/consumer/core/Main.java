package consumer.core;

import dev.once.core.Codec;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Scope;
import dev.once.core.store.MemoryStore;
import java.time.Duration;

final class Main {

  private static int charges;

  private Main() {}

  public static void main(String[] arguments) throws Exception {
    Policy threeDays = Policy.DEFAULT.with(policy -> policy.retention(Duration.ofHours(72)));
    try (MemoryStore store = new MemoryStore();
        Once once = Once.on(store)) {
      for (int i = 0; i < 2; i++) {
        Operation payment =
            Operation.of(Scope.of("acme", "alice"), "key-1", "POST", "/payments", "10 EUR")
                .under(threeDays);
        System.out.println(once.call(payment, Codec.text(), () -> "paid, charge " + ++charges));
      }
    }
  }
}
