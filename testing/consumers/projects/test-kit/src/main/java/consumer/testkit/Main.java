package consumer.testkit;

import static dev.once.test.OnceAssertions.assertThat;

import dev.once.core.Codec;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Scope;
import dev.once.test.RecordingStore;
import java.time.Duration;

final class Main {

  private Main() {}

  public static void main(String[] arguments) throws Exception {
    try (RecordingStore store = new RecordingStore();
        Once once = store.once()) {
      Operation payment = Operation.of(Scope.GLOBAL, "key-1", "POST", "/payments");
      System.out.println(once.call(payment, Codec.text(), () -> "paid, charge 1"));
      store.clock().passes(Duration.ofHours(1));
      System.out.println(once.call(payment, Codec.text(), () -> "paid, charge 2"));
      assertThat(once).operation("key-1").wasExecutedOnce().wasReplayed(1);
    }
  }
}
