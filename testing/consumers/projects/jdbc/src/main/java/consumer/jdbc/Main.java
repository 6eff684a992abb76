package consumer.jdbc;

import dev.once.core.Codec;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Scope;
import dev.once.core.store.Store;
import dev.once.core.store.StoreSetupException;
import dev.once.core.store.Stores;
import dev.once.stores.jdbc.JdbcStore;
import java.nio.file.Files;
import java.nio.file.Path;

final class Main {

  private static int charges;

  private Main() {}

  public static void main(String[] arguments) throws Exception {
    Path file = Files.createTempDirectory("consumer").resolve("once.db");
    try (JdbcStore store = JdbcStore.sqlite(file)) {
      System.out.println(pay(store));
    }
    try (Store store = Stores.open("sqlite:" + file)) { // found as a service
      System.out.println(pay(store));
    }
    try (Store store = Stores.open("postgresql://once@localhost/once")) {
      throw new AssertionError("opened without a driver: " + store);
    } catch (StoreSetupException e) {
      System.out.println(e.getMessage());
    }
  }

  private static String pay(Store store) throws Exception {
    Operation payment =
        Operation.of(Scope.of("acme", "alice"), "key-1", "POST", "/payments", "10 EUR");
    try (Once once = Once.on(store)) {
      return once.call(payment, Codec.text(), () -> "paid, charge " + ++charges);
    }
  }
}
