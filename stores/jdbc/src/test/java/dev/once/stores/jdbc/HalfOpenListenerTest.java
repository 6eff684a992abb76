package dev.once.stores.jdbc;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.Store;
import dev.once.testing.servers.FaultProxy;
import dev.once.testing.servers.PostgresServer;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection that is lost without a word: who only listens to it would never find out. */
@Timeout(600)
@DisplayNameGeneration(ReplaceUnderscores.class)
class HalfOpenListenerTest {

  private static final Duration HOUR = Duration.ofHours(1);

  private int keys;

  @Test
  void wake_ups_come_again_after_the_connection_of_the_listener_was_lost_in_silence()
      throws Exception {
    PostgresServer server = PostgresServer.shared();
    String url = DatabaseFixture.database(server);
    try (FaultProxy proxy = FaultProxy.to(server.port());
        JdbcStore here = JdbcStore.on(DatabaseFixture.dataSource(proxy.url(url)));
        JdbcStore there = JdbcStore.open(url)) {
      awaitWakeUp(here, there);

      proxy.blackhole();
      there.watch(id(), () -> {}); // all nodes are told, and this one does not hear it
      SECONDS.sleep(1); // if that is too short nothing was lost, and this proves nothing
      proxy.heal();

      awaitWakeUp(here, there);
    }
  }

  private void awaitWakeUp(JdbcStore here, JdbcStore there) throws InterruptedException {
    Semaphore woken = new Semaphore(0);
    boolean heard = false;
    while (!heard) {
      OperationId id = id();
      Lease lease = ((Claim.Granted) join(there.claim(request(id)))).lease();
      try (Store.Watch watch = here.watch(id, woken::release)) {
        join(there.complete(lease, Answer.success(201, Body.EMPTY), HOUR));
        heard = woken.tryAcquire(1, SECONDS);
      } catch (CompletionException e) {
        // A connection that was lost is noticed by the first who uses it.
      }
    }
  }

  private OperationId id() {
    return new OperationId(Scope.GLOBAL, Key.of("key " + keys++));
  }

  private static ClaimRequest request(OperationId id) {
    return new ClaimRequest(id, Fingerprint.of("pay"), System.nanoTime(), HOUR, HOUR, false);
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
