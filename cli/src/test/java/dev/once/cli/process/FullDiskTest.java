package dev.once.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.testing.servers.SmallDisk;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The disk is full: there is room for claims in the log of SQLite, and none for answers. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class FullDiskTest {

  private static final int LARGE = 900_000;

  @TempDir private Path folder;

  /** So that the log is written from its beginning, in the room that it has. */
  private static void writeBackLog(Path file) throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA wal_checkpoint(PASSIVE)");
    }
  }

  @Test
  void after_an_answer_that_cannot_be_recorded_nothing_runs_until_there_is_room() throws Exception {
    try (SmallDisk disk = SmallDisk.ofMegabytes(40);
        Upstream upstream = new Upstream(201)) {
      Path file = disk.newFolder("once").resolve("once.db");
      upstream.planSize("/large", LARGE);
      try (GatewayProcess gateway =
          GatewayProcess.start(upstream.url(), folder, "--store", "sqlite:" + file)) {
        Client client = Client.of(gateway);
        Reply kept = client.post("/large", "kept");
        assertThat(kept.status()).isEqualTo(201);
        for (int i = 0; i < 3; i++) {
          assertThat(client.post("/large", "before-" + i).status()).isEqualTo(201);
        }
        writeBackLog(file);
        disk.fill();

        Reply unrecorded = null;
        int asked = 0;
        while (unrecorded == null && asked < 20) {
          Reply reply = client.post("/large", "full-" + asked++);
          unrecorded = reply.ok() ? null : reply;
        }
        assertThat(unrecorded).isNotNull();
        assertThat(unrecorded.problem()).isEqualTo("outcome-unknown");
        int ran = upstream.executions("/large").size();

        for (int i = 0; i < 5; i++) {
          assertThat(client.post("/large", "refused-" + i).problem()).isEqualTo("store-down");
        }
        assertThat(upstream.executions("/large")).hasSize(ran);
        assertThat(gateway.isReady()).isFalse();
        Reply.assertReplayed(client.post("/large", "kept"), kept);

        disk.makeRoom();
        Eventually.until("a gateway that is ready again", gateway::isReady);
        assertThat(client.post("/large", "after").status()).isEqualTo(201);
        String key = "full-" + (asked - 1);
        Reply later =
            Eventually.get(
                "its answer, recorded after all",
                () -> client.post("/large", key),
                reply -> !reply.problem().equals("still-running"));
        assertThat(later.marked()).as(later.text()).isTrue();
        assertThat(upstream.executions("/large")).as("none ran twice").hasSize(ran + 1);
      }
    }
  }
}
