package consumer.jdbcwithdrivers;

import dev.once.core.store.Store;
import dev.once.core.store.Stores;
import java.util.List;

final class Main {

  private Main() {}

  /** Nobody listens there: what is tried is whether the drivers are found. */
  public static void main(String[] arguments) {
    for (String database : List.of("postgresql", "mariadb")) {
      try (Store store = Stores.open(database + "://once@localhost:1/once?connectTimeout=2000")) {
        throw new AssertionError("opened where nobody listens: " + store);
      } catch (RuntimeException e) {
        String message = String.valueOf(e.getMessage());
        if (message.contains("driver")) {
          throw e;
        }
        System.out.println(message);
      }
    }
  }
}
