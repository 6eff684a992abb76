package consumer.tiered;

import dev.once.core.Bytes;
import dev.once.core.Codec;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import dev.once.core.store.Cache;
import dev.once.stores.jdbc.JdbcStore;
import dev.once.stores.tiered.TieredStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

final class Main {

  private static int charges;

  private Main() {}

  public static void main(String[] arguments) throws Exception {
    Path file = Files.createTempDirectory("consumer").resolve("once.db");
    try (TieredStore store = TieredStore.cached(JdbcStore.sqlite(file), new MapCache());
        Once once = Once.on(store)) {
      for (int i = 0; i < 2; i++) {
        Operation payment =
            Operation.of(Scope.of("acme", "alice"), "key-1", "POST", "/payments", "10 EUR");
        System.out.println(once.call(payment, Codec.text(), () -> "paid, charge " + ++charges));
      }
    }
  }

  private static final class MapCache implements Cache {

    private final Map<OperationId, Bytes> values = new ConcurrentHashMap<>();

    @Override
    public CompletionStage<Optional<Bytes>> get(OperationId id) {
      return CompletableFuture.completedFuture(Optional.ofNullable(values.get(id)));
    }

    @Override
    public CompletionStage<Void> put(OperationId id, Bytes value, Duration life) {
      values.put(id, value);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {}
  }
}
