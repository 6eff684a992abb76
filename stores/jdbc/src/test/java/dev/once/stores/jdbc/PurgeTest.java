package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Begun;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Operation;
import dev.once.core.OperationId;
import dev.once.core.Policy;
import dev.once.core.Scope;
import dev.once.core.store.ClaimRequest;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A purge takes what it can have, and waits for nobody. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PurgeTest {

  static Stream<DatabaseServer> servers() {
    return Stream.of(PostgresServer.shared(), MariaDbServer.shared());
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void passes_over_what_an_application_holds_in_an_open_transaction(DatabaseServer server)
      throws Exception {
    Duration hour = Duration.ofHours(1);
    try (DatabaseFixture fixture = new DatabaseFixture(DatabaseFixture.database(server));
        Connection application = DatabaseServer.connect(fixture.url)) {
      for (int i = 0; i < 10; i++) {
        OperationId id = new OperationId(Scope.GLOBAL, Key.of("key " + i));
        join(
            fixture
                .store()
                .claim(new ClaimRequest(id, Fingerprint.of("pay"), i, hour, hour, false)));
      }
      fixture.execute("UPDATE idempotency_keys SET ttl_at = 1");
      application.setAutoCommit(false);
      Operation held =
          Operation.of(Scope.GLOBAL, Key.of("key 3"), Fingerprint.of("pay"), Policy.DEFAULT);
      assertThat(JdbcTransactions.create().begin(application, held))
          .isInstanceOf(Begun.Proceed.class);

      assertThat(join(fixture.store().purgeExpired(100))).isEqualTo(9);

      application.rollback();
      assertThat(join(fixture.store().purgeExpired(100))).isEqualTo(1);
    }
  }
}
