package consumer.redis;

import dev.once.core.store.Stores;
import dev.once.stores.redis.RedisStore;

final class Main {

  private Main() {}

  /** Nobody listens there: what is tried is whether all that the client needs is found. */
  public static void main(String[] arguments) {
    String url = "redis://localhost:1";
    System.out.println(Stores.check(Stores.parse(url))); // found as a service
    System.out.println(RedisStore.check(url));
  }
}
