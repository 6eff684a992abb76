package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.StoreException;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.FaultProxy;
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever the database does, a store can be closed, and nobody who asked it is left waiting. */
@Timeout(600)
@DisplayNameGeneration(ReplaceUnderscores.class)
class SilentAtCloseTest {

  private static final int ASKED = 30; // more than there are lanes and readers

  static Stream<DatabaseServer> servers() {
    return Stream.of(PostgresServer.shared(), MariaDbServer.shared());
  }

  private static OperationId id(int number) {
    return new OperationId(Scope.GLOBAL, Key.of("key " + number));
  }

  private static List<CompletableFuture<?>> askedOf(JdbcStore store) {
    Duration hour = Duration.ofHours(1);
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (int i = 0; i < ASKED; i++) {
      ClaimRequest claim = new ClaimRequest(id(i), Fingerprint.of("pay"), i, hour, hour, false);
      asked.add(store.claim(claim).toCompletableFuture());
      asked.add(store.find(id(i)).toCompletableFuture());
    }
    return asked;
  }

  /** On a thread of its own: the test gives up where a close that hangs would not. */
  private static void close(JdbcStore store) throws InterruptedException {
    Thread closer = new Thread(store::close);
    closer.setDaemon(true);
    closer.start();
    closer.join();
  }

  private static void assertAllAreTold(List<CompletableFuture<?>> asked) {
    assertThat(asked)
        .allSatisfy(
            each ->
                assertThat(each.handle((result, failure) -> failure))
                    .isCompletedWithValueMatching(StoreException.class::isInstance));
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void a_data_source_that_never_connects_does_not_keep_a_store_from_closing(DatabaseServer server)
      throws Exception {
    try (FaultProxy proxy = FaultProxy.to(server.port())) {
      DataSource unlimited =
          DatabaseFixture.dataSource(proxy.url(DatabaseFixture.database(server)));
      JdbcStore store = JdbcStore.on(unlimited);
      proxy.blackhole();
      List<CompletableFuture<?>> asked = askedOf(store);

      close(store);

      assertAllAreTold(asked);
    }
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void connections_that_fell_silent_do_not_keep_a_store_from_closing(DatabaseServer server)
      throws Exception {
    try (FaultProxy proxy = FaultProxy.to(server.port())) {
      DataSource unlimited =
          DatabaseFixture.dataSource(proxy.url(DatabaseFixture.database(server)));
      JdbcStore store = JdbcStore.on(unlimited);
      CompletableFuture.allOf(askedOf(store).toArray(new CompletableFuture<?>[0])).join();
      proxy.blackhole();

      close(store);

      assertAllAreTold(askedOf(store));
    }
  }

  @Test
  void a_store_can_be_closed_by_what_its_reply_sets_off() throws Exception {
    String url = DatabaseFixture.database(PostgresServer.shared());
    JdbcStore store = JdbcStore.on(DatabaseFixture.dataSource(url));
    CountDownLatch connected = new CountDownLatch(1);
    CompletableFuture<Void> closed =
        store
            .find(id(0))
            .thenCompose(
                any ->
                    store.claim(
                        new ClaimRequest(
                            id(0),
                            Fingerprint.of("pay"),
                            1,
                            Duration.ofHours(1),
                            Duration.ofHours(1),
                            false)))
            .thenRun(
                () -> {
                  store.close();
                  connected.countDown();
                })
            .toCompletableFuture();

    connected.await();

    closed.join();
  }
}
