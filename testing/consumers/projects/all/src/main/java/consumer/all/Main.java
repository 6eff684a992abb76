package consumer.all;

import dev.once.codecs.jackson.JacksonCodecs;
import dev.once.core.store.Stores;
import dev.once.core.store.spi.StoreRole;
import dev.once.http.conformance.Conformance;
import dev.once.http.gateway.config.GatewayValue;
import dev.once.http.semantics.HttpProfile;
import dev.once.http.servlet.OnceFilter;
import dev.once.ops.micrometer.OnceMetrics;
import dev.once.stores.jdbc.JdbcStore;
import dev.once.stores.redis.RedisStore;
import dev.once.stores.tiered.TieredStore;
import dev.once.tck.StoreContract;
import dev.once.test.RecordingStore;
import java.util.List;

final class Main {

  private Main() {}

  public static void main(String[] arguments) {
    List<Class<?>> used =
        List.of(
            JacksonCodecs.class,
            Conformance.class,
            GatewayValue.class,
            HttpProfile.class,
            OnceFilter.class,
            OnceMetrics.class,
            JdbcStore.class,
            RedisStore.class,
            TieredStore.class,
            StoreContract.class,
            RecordingStore.class);
    used.forEach(type -> System.out.println(type.getName()));
    System.out.println(Stores.forms(StoreRole.STORE)); // of all that were found as services
  }
}
