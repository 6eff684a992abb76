package consumer.micrometer;

import dev.once.core.Codec;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Scope;
import dev.once.core.store.MemoryStore;
import dev.once.ops.micrometer.OnceMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

final class Main {

  private Main() {}

  public static void main(String[] arguments) throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (MemoryStore store = new MemoryStore();
        Once once = Once.builder(store).listener(new OnceMetrics(registry)).build()) {
      Operation payment = Operation.of(Scope.GLOBAL, "key-1", "POST", "/payments");
      System.out.println(once.call(payment, Codec.text(), () -> "paid, charge 1"));
    }
    registry.getMeters().forEach(meter -> System.out.println(meter.getId()));
  }
}
