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
import java.util.function.LongSupplier;

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

  /** Longer than anything is remembered. */
  private static final long AGES = Duration.ofDays(3650).toNanos();

  /** A disk may be slow. */
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  private final RedisSettings settings;
  private final List<Store> handles = new ArrayList<>();
  private final RecordAging aging;
  private final AtomicLong passed = new AtomicLong();
  private final boolean forgetful;

  RedisFixture(String url) {
    this(url, false);
  }

  /**
   * @param forgetful whether what a store remembers of operations that have ended is over at once
   */
  RedisFixture(String url, boolean forgetful) {
    this.forgetful = forgetful;
    settings =
        RedisSettings.parse(url)
            .with(s -> s.prefix("test:" + UUID.randomUUID() + ":").timeout(TIMEOUT));
    aging = new RecordAging(settings);
    another();
  }

  @Override
  public Store store() {
    return handles.get(0);
  }

  @Override
  public Store another() {
    AtomicLong first = new AtomicLong();
    LongSupplier nanoTime =
        forgetful ? () -> first.getAndSet(AGES) : () -> System.nanoTime() + passed.get();
    Store store = RedisStore.open(settings, RESOURCES, nanoTime);
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
    aging.advance(duration);
    passed.addAndGet(duration.toNanos());
  }

  @Override
  public OptionalLong roundTrips() {
    return settings.replicas() > 0 ? OptionalLong.empty() : OptionalLong.of(SENT.get());
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
