package dev.once.stores.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * What of the tables, and of the rights to use them, is missing: each with what to do. Writes
 * nothing.
 */
final class Privileges {

  /** All that is used, whether it is there, and whether it may be used. */
  private static final String OF_POSTGRESQL =
      """
      SELECT kind, name, privilege, oid IS NULL AS missing, quote_ident(current_user) AS who
        FROM (
          SELECT 'TABLE' AS kind, 'idempotency_keys' AS name,
              to_regclass('idempotency_keys')::oid AS oid,
              unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege
          UNION ALL SELECT 'TABLE', 'once_meta', to_regclass('once_meta')::oid,
              unnest(ARRAY['SELECT', 'UPDATE'])
          UNION ALL SELECT 'SEQUENCE', 'once_fence', to_regclass('once_fence')::oid, 'USAGE'
          UNION ALL SELECT 'FUNCTION', f, to_regproc(f)::oid, 'EXECUTE'
              FROM unnest(ARRAY['once_claim_1', 'once_claim_one_1', 'once_complete_1',
                'once_own_1']) AS f
        ) AS needed
        WHERE oid IS NULL OR NOT CASE kind WHEN 'TABLE' THEN has_table_privilege(oid, privilege)
          WHEN 'SEQUENCE' THEN has_sequence_privilege(oid, privilege)
          ELSE has_function_privilege(oid, privilege) END
      """;

  /**
   * To explain a statement takes the rights that it takes to execute it. None reads a column to
   * find what it writes: that would take SELECT too.
   */
  private static final List<List<String>> OF_MARIADB =
      List.of(
          List.of("idempotency_keys", "SELECT", "SELECT * FROM idempotency_keys"),
          List.of("idempotency_keys", "INSERT", "INSERT INTO idempotency_keys (id) VALUES ('')"),
          List.of("idempotency_keys", "UPDATE", "UPDATE idempotency_keys SET ttl_at = 0"),
          List.of("idempotency_keys", "DELETE", "DELETE FROM idempotency_keys WHERE 1 = 0"),
          List.of("once_meta", "SELECT", "SELECT * FROM once_meta"),
          List.of("once_meta", "UPDATE", "UPDATE once_meta SET value = 0"),
          List.of("once_fence", "SELECT, INSERT", "SELECT NEXT VALUE FOR once_fence"));

  private static final int MARIADB_NO_TABLE = 1146;
  private static final int MARIADB_NO_SEQUENCE = 4091;
  private static final int MARIADB_NO_PRIVILEGE = 1142;
  private static final int MARIADB_NO_PRIVILEGE_ON_COLUMN = 1143;

  private Privileges() {}

  static List<String> missingInPostgres(Statement statement) throws SQLException {
    List<String> missing = new ArrayList<>();
    try (ResultSet row = statement.executeQuery(OF_POSTGRESQL)) {
      while (row.next()) {
        String name = row.getString("kind") + " " + row.getString("name");
        missing.add(
            row.getBoolean("missing")
                ? isMissing(name)
                : grant(row.getString("privilege"), name, row.getString("who")));
      }
    }
    return missing;
  }

  static List<String> missingInMariaDb(Statement statement) throws SQLException {
    List<String> missing = new ArrayList<>();
    for (List<String> needed : OF_MARIADB) {
      try {
        statement.execute("EXPLAIN " + needed.get(2));
      } catch (SQLException e) {
        switch (e.getErrorCode()) {
          case MARIADB_NO_TABLE, MARIADB_NO_SEQUENCE -> missing.add(isMissing(needed.get(0)));
          case MARIADB_NO_PRIVILEGE, MARIADB_NO_PRIVILEGE_ON_COLUMN ->
              missing.add(grant(needed.get(1), needed.get(0), user(statement)));
          default -> throw e;
        }
      }
    }
    return missing;
  }

  private static String user(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT CURRENT_USER()")) {
      row.next();
      return "'" + row.getString(1).replaceFirst("@", "'@'") + "'";
    }
  }

  private static String grant(String privilege, String name, String who) {
    return "GRANT %s ON %s TO %s".formatted(privilege, name, who);
  }

  private static String isMissing(String name) {
    return name + " is missing: create it again as the file V2026.1 in the jar does";
  }
}
