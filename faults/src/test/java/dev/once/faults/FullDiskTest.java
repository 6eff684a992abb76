package dev.once.faults;

import dev.once.stores.jdbc.JdbcStore;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import dev.once.testing.servers.SmallDisk;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The disk is full while clients ask, and later there is room again. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class FullDiskTest {

  /** Enough for the disk to matter soon. */
  private static final Plan LARGE_ANSWERS = Plan.SHORT.withAnswers(50_000);

  @Test
  void of_sqlite() {
    try (SmallDisk disk = SmallDisk.ofMegabytes(60)) {
      String url = "sqlite:" + disk.newFolder("once").resolve("once.db");
      fillUp("SQLite: the disk is full", disk, url, () -> {});
    }
  }

  @Test
  void of_postgresql() {
    try (SmallDisk disk = SmallDisk.ofMegabytes(200);
        DatabaseServer server =
            PostgresServer.start(
                Map.of("max_wal_size", "48MB", "min_wal_size", "32MB"), disk.newFolder("server"))) {
      fillUp("PostgreSQL: the disk is full", disk, migrated(server), () -> revive(server));
    }
  }

  @Test
  void of_mariadb() {
    try (SmallDisk disk = SmallDisk.ofMegabytes(250);
        DatabaseServer server = MariaDbServer.start(Map.of(), disk.newFolder("server"))) {
      fillUp("MariaDB: the disk is full", disk, migrated(server), () -> revive(server));
    }
  }

  private static String migrated(DatabaseServer server) {
    String url = server.newDatabase();
    JdbcStore.migrate(url);
    return url;
  }

  /** What a person does with a server that gave up. */
  private static void revive(DatabaseServer server) {
    if (!server.isRunning()) {
      server.restart();
    }
  }

  private static void fillUp(String name, SmallDisk disk, String url, Runnable revive) {
    try (Run run = new Run(name, LARGE_ANSWERS)) {
      run.engine(StoreOpening.open(url));
      run.engine(StoreOpening.open(url));
      run.awaitAnswers(200);
      disk.fill();
      run.awaitRefusals(20);
      disk.makeRoom();
      revive.run();
      run.awaitAnswers(100);
      run.finish();
      run.check(() -> StoreOpening.open(url));
    }
  }
}
