package consumer.servlet;

import dev.once.core.Once;
import dev.once.core.store.MemoryStore;
import dev.once.http.servlet.OnceFilter;
import jakarta.servlet.Filter;

final class Main {

  private Main() {}

  public static void main(String[] arguments) {
    try (MemoryStore store = new MemoryStore();
        Once once = Once.on(store)) {
      Filter filter = OnceFilter.builder(once).build();
      System.out.println(filter.getClass());
    }
  }
}
