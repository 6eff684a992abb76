package dev.once.stores.redis;

import static dev.once.stores.redis.StoreSteps.PAID;
import static dev.once.stores.redis.StoreSteps.RETENTION;
import static dev.once.stores.redis.StoreSteps.await;
import static dev.once.stores.redis.StoreSteps.eventually;
import static dev.once.stores.redis.StoreSteps.granted;
import static dev.once.stores.redis.StoreSteps.id;
import static dev.once.stores.redis.StoreSteps.openSoon;
import static dev.once.stores.redis.StoreSteps.outcome;
import static dev.once.stores.redis.StoreSteps.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord.Status;
import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.StoreClosedException;
import dev.once.core.store.StoreException;
import dev.once.testing.servers.FaultProxy;
import dev.once.testing.servers.RedisReplicas;
import dev.once.testing.servers.RedisServer;
import io.lettuce.core.api.StatefulConnection;
import io.netty.channel.Channel;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

/** What becomes of steps whose connection was lost before their reply came. */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class ReconnectTest {

  private static final String PATIENT = "?timeout=60s";

  @Test
  void a_release_that_was_under_way_is_not_sent_again() throws Exception {
    try (RedisServer server = RedisServer.start();
        FaultProxy proxy = FaultProxy.to(server.url());
        RedisStore store = RedisStore.open(proxy.url(server.url()) + PATIENT)) {
      Lease lease = granted(store, "a");
      proxy.endAtReplies();
      CompletableFuture<Boolean> release = store.release(lease).toCompletableFuture();
      eventually(() -> assertThat(proxy.lostReplies()).isPositive());
      proxy.heal();

      Object outcome = outcome(release);

      assertThat(outcome).as("false would say that it was another's").isNotEqualTo(false);
      assertThat((Throwable) outcome)
          .isInstanceOf(StoreException.class)
          .isNotInstanceOf(StepNotTakenException.class);
      assertThat(eventually(() -> await(store.find(id("a"))))).isEmpty();
    }
  }

  @Test
  void what_a_silent_connection_has_not_sent_yet_is_not_sent_once_it_was_given_up()
      throws Exception {
    try (RedisServer server = RedisServer.start();
        FaultProxy proxy = FaultProxy.to(server.url());
        RedisStore store = openSoon(proxy.url(server.url()) + "?timeout=300ms")) {
      proxy.blackhole();

      eventually(
          () -> {
            outcome(store.claim(request("a")));
            return assertThat(proxy.resetsByClient()).isPositive();
          });
    }
  }

  @Test
  void a_step_that_waits_for_a_connection_ends_when_the_store_is_closed() throws Exception {
    try (RedisServer server = RedisServer.start();
        FaultProxy proxy = FaultProxy.to(server.url());
        ConnectedRedis redis =
            ConnectedRedis.reach(RedisSettings.parse(proxy.url(server.url()) + PATIENT), null)) {
      byte[] key = "once:any".getBytes(StandardCharsets.UTF_8);
      StatefulConnection<byte[], byte[]> connection =
          await(redis.link().connection(key).thenApply(any -> any));
      proxy.refuse();
      eventually(() -> assertThat(connection.isOpen()).isFalse());
      EventExecutorGroup threads = new DefaultEventExecutorGroup(1);
      CountDownLatch over = new CountDownLatch(1);
      Future<Boolean> busy = threads.submit(() -> over.await(1, TimeUnit.HOURS));
      StepSender steps = new StepSender(redis.link(), threads, new Replication(0, Duration.ZERO));
      CompletableFuture<Reply> step = steps.run(read(key));

      steps.close();

      assertThat(outcome(step)).isInstanceOf(StoreClosedException.class);
      over.countDown();
      assertThat(busy.get()).isTrue();
      threads.shutdownGracefully(0, 0, TimeUnit.SECONDS).await();
    }
  }

  @Test
  void a_new_master_does_not_confirm_what_was_written_to_the_old_one() throws Exception {
    try (RedisReplicas servers = RedisReplicas.start(2);
        FaultProxy proxy = FaultProxy.to(servers.master().url());
        RedisStore store =
            RedisStore.open(
                proxy.url(servers.master().url())
                    + "?replicas=1&replicas-timeout=30s&timeout=60s")) {
      Lease lease = granted(store, "a");
      RedisServer next = servers.replica(0);
      eventually(() -> assertThat(next.info("keyspace", "db0")).as("the claim").contains("keys=1"));
      next.pause();
      servers.replica(1).pause();
      servers.master().command("CLIENT", "KILL", "TYPE", "replica");
      CompletableFuture<Boolean> complete =
          store.complete(lease, PAID, RETENTION).toCompletableFuture();
      eventually(
          () -> assertThat(servers.master().info("clients", "blocked_clients")).isEqualTo("1"));
      servers.master().kill();
      servers.promote(0);
      proxy.leadTo(next.port());

      Object outcome = outcome(complete);

      assertThat(eventually(() -> await(store.find(id("a")))))
          .as("the new master never had the answer")
          .hasValueSatisfying(found -> assertThat(found.status()).isEqualTo(Status.PROCESSING));
      assertThat(outcome)
          .as("whether an answer was recorded that the new master has not")
          .isInstanceOf(StoreException.class)
          .isNotInstanceOf(StepNotTakenException.class);
    }
  }

  @Test
  void replicas_confirm_for_the_channel_that_a_step_was_written_on_and_for_no_other()
      throws Exception {
    try (RedisReplicas servers = RedisReplicas.start(1);
        ConnectedRedis redis =
            ConnectedRedis.reach(RedisSettings.parse(servers.master().url() + PATIENT), null)) {
      Replication replication = new Replication(1, Duration.ofSeconds(30));
      byte[] key = "once:any".getBytes(StandardCharsets.UTF_8);
      StatefulConnection<byte[], byte[]> connection =
          await(redis.link().connection(key).thenApply(any -> any));
      Channel before = await(redis.steps().run(read(key))).channel();
      await(replication.confirm(connection, before).thenApply(any -> true));

      servers.master().command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      Channel after = eventually(() -> await(redis.steps().run(read(key))).channel());

      assertThat(after).isNotSameAs(before);
      assertThat(outcome(replication.confirm(connection, before)))
          .isInstanceOf(StoreException.class);
      await(replication.confirm(connection, after).thenApply(any -> true));
    }
  }

  private static ScriptCall<Reply> read(byte[] key) {
    return new ScriptCall<>(
        null, key, Reply::itself, any -> false, RecordFields.STATE, RecordFields.ANSWER);
  }
}
