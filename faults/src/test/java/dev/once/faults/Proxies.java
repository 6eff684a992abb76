package dev.once.faults;

import dev.once.core.store.Store;
import dev.once.core.store.spi.ForwardingStore;
import dev.once.stores.redis.RedisSettings;
import dev.once.stores.redis.RedisStore;
import dev.once.testing.servers.FaultProxy;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A proxy in front of each of several servers. Sentinels and clusters tell clients where to go; who
 * opens a store here goes there through the proxy, and everybody else goes straight.
 */
final class Proxies implements AutoCloseable {

  private final Map<Integer, FaultProxy> proxies = new TreeMap<>();

  Proxies(Collection<Integer> ports) {
    ports.forEach(port -> proxies.put(port, FaultProxy.to(port)));
  }

  Store open(String url) {
    ClientResources resources =
        ClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .socketAddressResolver(MappingSocketAddressResolver.create(this::proxied))
            .build();
    RedisSettings settings = RedisSettings.parse(url);
    Store store = StoreOpening.open(url, () -> RedisStore.open(settings, resources));
    return new ForwardingStore(store) {
      @Override
      public void close() {
        super.close();
        resources.shutdown();
      }
    };
  }

  private HostAndPort proxied(HostAndPort server) {
    return HostAndPort.of(server.getHostText(), proxies.get(server.getPort()).port());
  }

  void each(Consumer<FaultProxy> fault) {
    proxies.values().forEach(fault);
  }

  void heal() {
    each(FaultProxy::heal);
  }

  int lostReplies() {
    return proxies.values().stream().mapToInt(FaultProxy::lostReplies).sum();
  }

  @Override
  public void close() {
    each(FaultProxy::close);
  }
}
