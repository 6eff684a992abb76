package dev.once.stores.jdbc;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Statements for connections that go through a pooler (PgBouncer), which may give each transaction
 * another connection to the server. What a session is set to there is seen by others, and what
 * others have set is seen here. So each statement brings its settings along, and they end with it:
 *
 * <ol>
 *   <li>Tables and functions are named with their schema.
 *   <li>What calls a function makes the settings first: the function's argument depends on them.
 *   <li>What changes a row by itself makes them in its condition, before it waits for the row's
 *       lock. It is planned each time, with the table as it is, and needs none for that.
 * </ol>
 */
final class PoolerStatements {

  private static final Pattern NAME = Pattern.compile("\\b(idempotency_keys|once_\\w+)\\b");
  private static final Pattern CALL = Pattern.compile("FROM (\\S*once_\\w+)\\(\\?");
  private static final Pattern CHANGE = Pattern.compile("^(UPDATE|DELETE)\\b");

  /**
   * A commit is on disk when it returns, and nobody's lock is waited for too long; less where the
   * transaction is in a hurry already.
   */
  private static final String OF_CHANGES =
      local(
              "lock_timeout",
              "CASE current_setting('once.hurry', true) WHEN 'on' THEN '%d' ELSE '%d' END"
                  .formatted(
                      Dialect.SHORTEST_LOCK_WAIT.toMillis(), Dialect.LONGEST_LOCK_WAIT.toMillis()))
          + " || "
          + local(
              "synchronous_commit",
              "CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'"
                  + " ELSE current_setting('synchronous_commit') END");

  private final String schema;
  private final String ofCalls;

  /**
   * @param schema that the tables are in, quoted where it needs to be
   */
  PoolerStatements(String schema) {
    this.schema = schema;
    StringBuilder all = new StringBuilder(OF_CHANGES);
    all.append(" || ").append(local("search_path", PostgresDialect.literal(schema + ", pg_temp")));
    PostgresBatch.PLANNING.forEach(
        (name, value) -> all.append(" || ").append(local(name, "'" + value + "'")));
    this.ofCalls = all.toString();
  }

  private static String local(String setting, String value) {
    return "set_config('" + setting + "', " + value + ", true)";
  }

  String statement(String sql) {
    String named = NAME.matcher(sql).replaceAll(Matcher.quoteReplacement(schema) + ".$1");
    if (CHANGE.matcher(sql).find()) {
      return named + " AND " + OF_CHANGES + " IS NOT NULL";
    }
    String settings = "FROM (SELECT %s AS made) AS settings CROSS JOIN LATERAL ".formatted(ofCalls);
    return CALL.matcher(named)
        .replaceAll(
            Matcher.quoteReplacement(settings) + "$1(CASE WHEN made IS NOT NULL THEN ? END");
  }
}
