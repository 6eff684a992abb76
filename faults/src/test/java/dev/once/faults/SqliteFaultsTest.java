package dev.once.faults;

import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** SQLite has no server and no connections: its faults are those of its clients and of its disk. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class SqliteFaultsTest {

  @TempDir private Path folder;

  @Test
  void clients_are_killed_and_paused_past_their_leases() throws Exception {
    String url = "sqlite:" + folder.resolve("once.db");
    ClientFaults.killAndPause(
        "SQLite: clients are killed and paused", () -> StoreOpening.open(url), url, Set.of());
  }
}
