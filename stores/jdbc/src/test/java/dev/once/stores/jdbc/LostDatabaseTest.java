package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.StoreClosedException;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.FaultProxy;
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A database that cannot be reached, or has no connection left to give. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LostDatabaseTest {

  private static final Duration HOUR = Duration.ofHours(1);

  static Stream<DatabaseServer> servers() {
    return Stream.of(PostgresServer.shared(), MariaDbServer.shared());
  }

  /** With two lanes. */
  private static JdbcStore store(DataSource dataSource, Duration maxTrusted) {
    return JdbcStore.on(
        dataSource, any -> new Connections(2, false, 1, false, HOUR, maxTrusted), () -> {});
  }

  /** Else each request of an outage is one more to withdraw when the database is back. */
  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void a_step_that_met_no_connection_is_not_in_doubt(DatabaseServer server) throws Exception {
    String url = DatabaseFixture.database(server);
    try (FaultProxy proxy = FaultProxy.to(url);
        JdbcStore store = store(DatabaseFixture.dataSource(proxy.url(url)), Duration.ZERO)) {
      assertThat(await(claim(store, "before"))).isInstanceOf(Claim.Granted.class);
      proxy.refuse();
      for (int i = 0; i < 3; i++) {
        CompletableFuture<Claim> refused = claim(store, "meanwhile " + i);
        assertThat(catchThrowable(() -> await(refused)))
            .cause()
            .isInstanceOf(StepNotTakenException.class)
            .isNotInstanceOf(StoreClosedException.class)
            .hasMessageContaining("connecting failed");
      }
      proxy.heal();
      assertThat(await(claim(store, "after"))).isInstanceOf(Claim.Granted.class);
    }
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void a_server_without_a_connection_for_a_second_lane_refuses_nobody(DatabaseServer server)
      throws Exception {
    String url = DatabaseFixture.database(server);
    AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
    AtomicInteger refused = new AtomicInteger();
    DataSource dataSource = withSoMany(left, refused, DatabaseFixture.dataSource(url));
    try (JdbcStore store = store(dataSource, HOUR)) {
      assertThat(await(claim(store, "first"))).isInstanceOf(Claim.Granted.class);
      left.set(0);
      int next = 0;
      while (refused.get() == 0) {
        int from = next;
        List<CompletableFuture<Claim>> claims =
            IntStream.range(from, from + 300).mapToObj(i -> claim(store, "key " + i)).toList();
        next += claims.size();
        for (CompletableFuture<Claim> claim : claims) {
          assertThat(await(claim)).isInstanceOf(Claim.Granted.class);
        }
      }
    }
  }

  private static DataSource withSoMany(AtomicInteger left, AtomicInteger refused, DataSource all) {
    return (DataSource)
        Proxy.newProxyInstance(
            LostDatabaseTest.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              if (left.getAndUpdate(n -> Math.max(0, n - 1)) == 0) {
                refused.incrementAndGet();
                throw new SQLException("too many connections", "53300");
              }
              return all.getConnection();
            });
  }

  private static CompletableFuture<Claim> claim(JdbcStore store, String key) {
    ClaimRequest request =
        new ClaimRequest(
            new OperationId(Scope.GLOBAL, Key.of(key)),
            Fingerprint.of("pay"),
            1,
            HOUR,
            HOUR,
            false);
    return store.claim(request).toCompletableFuture();
  }

  private static Claim await(CompletableFuture<Claim> claim) throws Exception {
    return claim.get(300, TimeUnit.SECONDS);
  }
}
