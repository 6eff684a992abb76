package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.store.StoreSetupException;
import java.sql.Connection;
import javax.sql.DataSource;
import org.hsqldb.jdbc.JDBCDataSource;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** A database that Once does not know is told by its name, with what is supported. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class UnknownDatabaseTest {

  private static final String TOLD =
      "database: HSQL Database Engine (expected: PostgreSQL, MariaDB, H2 or SQLite); keys can be kept"
          + " elsewhere, in a file (sqlite:FILE, JdbcStore.sqlite) or, until the process ends, in"
          + " memory (memory:, MemoryStore), but not in this database's transactions";

  private static DataSource unknown() {
    JDBCDataSource dataSource = new JDBCDataSource();
    dataSource.setURL("jdbc:hsqldb:mem:unknown");
    return dataSource;
  }

  @Test
  void a_store_says_what_is_supported_and_how_to_go_on() {
    assertThatThrownBy(() -> JdbcStore.on(unknown()))
        .isInstanceOf(StoreSetupException.class)
        .hasMessage(TOLD);
  }

  @Test
  void so_does_a_migration() {
    assertThatThrownBy(() -> JdbcStore.migrate(unknown()))
        .isInstanceOf(StoreSetupException.class)
        .hasMessage(TOLD);
  }

  @Test
  void so_does_a_transaction() throws Exception {
    try (Connection connection = unknown().getConnection()) {
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> JdbcTransactions.create().begin(connection, ShopClient.pay("key")))
          .isInstanceOf(StoreSetupException.class)
          .hasMessage(TOLD);
    }
  }

  /** As both drivers name a MySQL, and that of MySQL a MariaDB. */
  @Test
  void mysql_is_told_from_mariadb() {
    assertThatThrownBy(() -> Databases.dialectNamed("MySQL"))
        .hasMessageContaining("database: MySQL (expected: PostgreSQL, MariaDB, H2 or SQLite)")
        .hasMessageContaining(
            "; a MariaDB needs its own driver, org.mariadb.jdbc:mariadb-java-client; keys can");
  }
}
