package dev.once.stores.redis;

import static dev.once.stores.redis.StoreSteps.eventually;
import static dev.once.stores.redis.StoreSteps.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.Store.Watch;
import dev.once.testing.servers.FaultProxy;
import dev.once.testing.servers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

/** Who waits for an operation listens to its channel, and nobody else does. */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class SubscriptionsTest {

  private static final int MANY = 200;

  @Test
  void those_who_leave_during_an_outage_leave_no_subscription_behind() throws Exception {
    try (RedisServer server = RedisServer.start("save \"\"");
        FaultProxy proxy = FaultProxy.to(server.port());
        RedisStore store = RedisStore.open(proxy.url(server.url()));
        Watch stays = store.watch(id("stays"), () -> {})) {
      for (int outage = 0; outage < 2; outage++) {
        List<Watch> leave = watchMany(store, "outage " + outage);
        eventually(() -> assertThat(channels(server)).hasSize(1 + MANY));

        proxy.refuse();
        leave.forEach(Watch::close);
        proxy.heal();

        eventually(() -> assertThat(channels(server)).hasSize(1));
      }
    }
  }

  @Test
  void who_waits_is_woken_when_the_connection_is_back_for_it_may_have_ended_meanwhile()
      throws Exception {
    try (RedisServer server = RedisServer.start("save \"\"");
        FaultProxy proxy = FaultProxy.to(server.port());
        RedisStore store = RedisStore.open(proxy.url(server.url()))) {
      Semaphore woken = new Semaphore(0);
      try (Watch waits = store.watch(id("a"), woken::release)) {
        assertThat(woken.tryAcquire(300, TimeUnit.SECONDS)).as("at the begin").isTrue();

        proxy.cut();

        assertThat(woken.tryAcquire(300, TimeUnit.SECONDS)).as("after the cut").isTrue();
      }
    }
  }

  private static List<Watch> watchMany(RedisStore store, String name) {
    return new ArrayList<>(
        IntStream.range(0, MANY).mapToObj(i -> store.watch(id(name + " " + i), () -> {})).toList());
  }

  private static List<String> channels(RedisServer server) throws Exception {
    return server.command("PUBSUB", "CHANNELS").lines().toList();
  }
}
