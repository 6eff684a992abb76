package dev.once.stores.jdbc;

import dev.once.core.Policy;
import dev.once.core.store.Finding;
import dev.once.core.store.StoreException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;

/** Looks whether a database is fit to hold keys. Changes nothing. */
final class DatabaseCheck {

  private static final int ROUND_TRIPS = 21;

  /** What is sent with an answer. */
  private static final int PACKET_OVERHEAD = 64 * 1024;

  private static final Duration LARGE_OFFSET = Duration.ofSeconds(1);

  private final Session session;
  private final Dialect dialect;
  private final List<Finding> findings = new ArrayList<>();
  private boolean hasTables;

  private DatabaseCheck(Session session, Dialect dialect) {
    this.session = session;
    this.dialect = dialect;
  }

  static List<Finding> of(DataSource dataSource, Dialect dialect) {
    try (Session session = new Session(dataSource, dialect)) {
      DatabaseCheck check = new DatabaseCheck(session, dialect);
      check.version();
      check.schema();
      check.privileges();
      check.answers();
      check.durability();
      check.latency();
      check.clock();
      return check.findings;
    } catch (SQLException e) {
      throw dialect.explain("a check", e);
    }
  }

  private void version() throws SQLException {
    var meta = session.connection().getMetaData();
    int major = meta.getDatabaseMajorVersion();
    int minor = meta.getDatabaseMinorVersion();
    String found = meta.getDatabaseProductName() + " " + meta.getDatabaseProductVersion();
    findings.add(
        dialect.isTooOld(major, minor)
            ? Finding.unfit("version", found + " (expected: PostgreSQL 12, MariaDB 10.6, or later)")
            : Finding.good("version", found));
  }

  private void schema() throws SQLException {
    try {
      Schema.require(session, dialect);
      findings.add(Finding.good("schema", "version " + Schema.VERSION));
      hasTables = true;
    } catch (StoreException e) {
      findings.add(Finding.unfit("schema", String.valueOf(e.getMessage())));
    } catch (SQLException e) {
      hasTables = true;
      StoreException explained = dialect.explain("a look at the schema", e);
      findings.add(Finding.unfit("schema", String.valueOf(explained.getMessage())));
    }
  }

  private void privileges() throws SQLException {
    if (!hasTables) {
      return;
    }
    List<String> missing;
    try (Statement statement = session.connection().createStatement()) {
      missing = dialect.missingPrivileges(statement);
    }
    findings.add(
        missing.isEmpty()
            ? Finding.good("privileges", "all that is needed")
            : Finding.unfit("privileges", String.join("; ", missing)));
  }

  /** The driver may send each byte as two. */
  private void answers() throws SQLException {
    String longestStatement = dialect.longestStatement();
    if (longestStatement == null) {
      return;
    }
    long packet;
    try (ResultSet row = session.prepare(longestStatement).executeQuery()) {
      row.next();
      packet = row.getLong(1);
    }
    long largest = Math.max(0, packet - PACKET_OVERHEAD) / 2;
    String found =
        "max_allowed_packet is %d bytes: answers of up to %d bytes can be recorded"
            .formatted(packet, largest);
    int usual = Policy.DEFAULT.maxStoredBody();
    findings.add(
        largest >= usual
            ? Finding.good("answers", found)
            : Finding.warning(
                "answers",
                found + " (expected: %d, or what your policies allow); raise it".formatted(usual)));
  }

  private void durability() throws SQLException {
    for (String query : dialect.undurable()) {
      try (Statement statement = session.connection().createStatement();
          ResultSet row = statement.executeQuery(query)) {
        if (row.next()) {
          findings.add(
              Finding.warning(
                  "durability",
                  row.getString(1)
                      + ": a crash of the server may lose keys that were answered for, and a retry"
                      + " then runs again"));
          return;
        }
      }
    }
    findings.add(Finding.good("durability", "a commit is on disk before it returns"));
  }

  private void latency() throws SQLException {
    long[] nanos = new long[ROUND_TRIPS];
    for (int i = 0; i < ROUND_TRIPS; i++) {
      long start = System.nanoTime();
      session.prepare("SELECT 1").executeQuery().close();
      nanos[i] = System.nanoTime() - start;
    }
    Arrays.sort(nanos);
    findings.add(
        Finding.good("latency", "%d µs for a round trip".formatted(nanos[ROUND_TRIPS / 2] / 1000)));
  }

  /** Once compares no two clocks; people do, when they read the times of records. */
  private void clock() throws SQLException {
    long before = System.currentTimeMillis();
    long there;
    try (ResultSet row = session.prepare("SELECT " + dialect.now()).executeQuery()) {
      row.next();
      there = row.getLong(1);
    }
    long offset = there - (before + System.currentTimeMillis()) / 2;
    String found = "%+d ms from this machine's".formatted(offset);
    findings.add(
        Math.abs(offset) < LARGE_OFFSET.toMillis()
            ? Finding.good("clock", found)
            : Finding.warning("clock", found + "; only the server's counts, but look why"));
  }
}
