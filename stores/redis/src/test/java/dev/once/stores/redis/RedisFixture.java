package dev.once.stores.redis;

import dev.once.core.store.Store;
import dev.once.tck.StoreFixture;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** Stores under a prefix of their own on a Redis that the tests share. */
final class RedisFixture implements StoreFixture {

  /** The fixtures share threads; each has connections of its own. */
  private static final AtomicLong SENT = new AtomicLong();

  private static final ClientResources RESOURCES =
      ClientResources.builder()
          .ioThreadPoolSize(4)
          .computationThreadPoolSize(2)
          .nettyCustomizer(
              new NettyCustomizer() {
                @Override
                public void afterChannelInitialized(Channel channel) {
                  channel.pipeline().addLast(new SentCommands(SENT));
                }
              })
          .build();

  private final RedisSettings settings;
  private final List<Store> handles = new ArrayList<>();
  private final Elapsed elapsed;

  RedisFixture(String url) {
    settings = RedisSettings.parse(url).with(s -> s.prefix("test:" + UUID.randomUUID() + ":"));
    elapsed = new Elapsed(settings);
    another();
  }

  @Override
  public Store store() {
    return handles.get(0);
  }

  @Override
  public Store another() {
    Store store = RedisStore.open(settings, RESOURCES);
    handles.add(store);
    return store;
  }

  @Override
  public Store reopened() {
    closeHandles();
    return another();
  }

  @Override
  public void timePasses(Duration duration) {
    elapsed.pass(duration);
  }

  @Override
  public OptionalLong roundTrips() {
    return OptionalLong.of(SENT.get());
  }

  @Override
  public boolean purgesByItself() {
    return true;
  }

  private void closeHandles() {
    handles.forEach(Store::close);
    handles.clear();
  }

  @Override
  public void close() {
    closeHandles();
  }
}
