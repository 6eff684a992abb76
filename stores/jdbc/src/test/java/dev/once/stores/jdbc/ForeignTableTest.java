package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.store.Finding;
import dev.once.core.store.StoreException;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.Statement;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Others have tables of this name, too. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ForeignTableTest {

  static Stream<DatabaseServer> servers() {
    return Stream.of(PostgresServer.shared(), MariaDbServer.shared());
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void a_table_that_somebody_else_made_is_not_taken_for_ours(DatabaseServer server)
      throws Exception {
    String url = server.newDatabase();
    try (Connection connection = DatabaseServer.connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE idempotency_keys (id varchar(64) PRIMARY KEY, answer text)");
      statement.execute("INSERT INTO idempotency_keys VALUES ('theirs', 'kept')");

      assertThatThrownBy(() -> JdbcStore.migrate(url))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("idempotency_keys");

      assertThatThrownBy(() -> JdbcStore.open(url)).isInstanceOf(StoreException.class);
      assertThat(JdbcStore.check(url)).extracting(Finding::level).contains(Finding.Level.UNFIT);
      statement.execute("ALTER TABLE idempotency_keys RENAME TO theirs");
    }

    JdbcStore.migrate(url);

    JdbcStore.open(url).close();
  }
}
