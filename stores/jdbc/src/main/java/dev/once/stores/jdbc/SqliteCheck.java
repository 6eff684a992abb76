package dev.once.stores.jdbc;

import dev.once.core.store.Finding;
import dev.once.core.store.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/** Looks whether a SQLite file is fit to hold keys. Makes no file, and changes none. */
final class SqliteCheck {

  private SqliteCheck() {}

  static List<Finding> of(Path file) {
    List<Finding> findings = new ArrayList<>();
    findings.add(place(file));
    if (Files.isRegularFile(file)) {
      try {
        inside(file, findings);
      } catch (SQLException e) {
        StoreException explained = new SqliteDialect(file).explain("a check", e);
        findings.add(Finding.unfit("file", String.valueOf(explained.getMessage())));
      }
    }
    findings.add(Finding.good("durability", "a commit is on disk before it returns"));
    findings.add(
        Finding.good("sharing", "processes of one machine; not through a network's file system"));
    return findings;
  }

  private static Finding place(Path file) {
    String error = error(file);
    if (error != null) {
      return Finding.unfit("file", error);
    }
    return Files.exists(file)
        ? Finding.good("file", "can be written, as can its folder")
        : Finding.good("file", "is not there yet, and is made when it is first used");
  }

  /** What is wrong with where a file is, or would be made; null if nothing is. */
  static @Nullable String error(Path file) {
    Path whole = file.toAbsolutePath().normalize();
    Path folder = whole.getParent();
    if (Files.isDirectory(whole)) {
      return "%s is a folder (expected: a file, such as %s)"
          .formatted(whole, whole.resolve("once.db"));
    }
    if (folder == null || !Files.isDirectory(folder)) {
      return "folder %s (expected: one that is there); make it, or name another file"
          .formatted(folder);
    }
    for (Path written : Files.exists(whole) ? List.of(folder, whole) : List.of(folder)) {
      if (!Files.isWritable(written)) {
        return written
            + " (expected: this user, "
            + System.getProperty("user.name")
            + ", can write)";
      }
    }
    return null;
  }

  private static void inside(Path file, List<Finding> findings) throws SQLException {
    SqliteLibrary.load();
    SQLiteConfig config = new SQLiteConfig();
    config.setReadOnly(true);
    SQLiteDataSource dataSource = new SQLiteDataSource(config);
    dataSource.setUrl("jdbc:sqlite:" + file);
    SqliteDialect dialect = new SqliteDialect(file);
    try (Session session = new Session(dataSource, dialect)) {
      String version = session.connection().getMetaData().getDatabaseProductVersion();
      int schema = Schema.version(session, dialect);
      findings.add(Finding.good("version", "SQLite " + version + ", which comes with Once"));
      findings.add(schema(schema));
    }
  }

  private static Finding schema(int version) {
    if (version == Schema.VERSION) {
      return Finding.good("schema", "version " + version);
    }
    return version < Schema.VERSION
        ? Finding.good(
            "schema",
            "%s; version %d is made when it is first used"
                .formatted(version == 0 ? "no tables yet" : "version " + version, Schema.VERSION))
        : Finding.unfit(
            "schema",
            "version %d (expected: at most %d); a newer version of Once has used this file"
                .formatted(version, Schema.VERSION));
  }
}
