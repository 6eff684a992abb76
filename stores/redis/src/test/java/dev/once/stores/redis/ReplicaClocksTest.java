package dev.once.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.Finding;
import dev.once.core.store.Finding.Level;
import dev.once.testing.servers.RedisReplicas;
import dev.once.testing.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A check looks at the clocks of those that may be the master some day. */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class ReplicaClocksTest {

  private static RedisServer master;
  private static RedisServer replica;

  @BeforeAll
  static void start() throws Exception {
    master = RedisServer.start("save \"\"");
    replica = RedisServer.start("save \"\"");
  }

  @AfterAll
  static void stop() throws Exception {
    master.close();
    replica.close();
  }

  /** The master is told to reach it there. */
  private static void replicate(int announced) throws Exception {
    replica.command("REPLICAOF", "NO", "ONE");
    replica.command("CONFIG", "SET", "replica-announce-port", Integer.toString(announced));
    replica.command("REPLICAOF", "127.0.0.1", Integer.toString(master.port()));
    RedisReplicas.awaitLink(replica);
    StoreSteps.eventually(
        () -> assertThat(master.info("replication", "slave0")).contains("port=" + announced + ","));
  }

  private static List<Finding> found() {
    return RedisStore.check(master.url()).stream()
        .filter(finding -> finding.subject().equals("replica's clock"))
        .toList();
  }

  @Test
  void a_replica_whose_clock_is_its_masters_is_good() throws Exception {
    replicate(replica.port());

    assertThat(found())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.level()).isEqualTo(Level.GOOD);
              assertThat(finding.detail()).startsWith("127.0.0.1:" + replica.port() + ": ");
            });
  }

  @ParameterizedTest
  @CsvSource({"30, shorten running leases", "-30, prolong running leases"})
  void a_replica_whose_clock_is_far_from_its_masters_is_warned_of(long seconds, String meaning)
      throws Exception {
    try (ShiftedClock wrong = new ShiftedClock(replica.port(), Duration.ofSeconds(seconds))) {
      replicate(wrong.port());

      assertThat(found())
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.level()).isEqualTo(Level.WARNING);
                assertThat(finding.detail())
                    .startsWith("127.0.0.1:" + wrong.port() + ": " + (seconds > 0 ? "+" : "-"))
                    .contains("(expected: within 1 s)", meaning, "NTP");
              });
    }
  }

  @Test
  void a_replica_that_cannot_be_asked_is_named() throws Exception {
    int closed;
    try (ShiftedClock gone = new ShiftedClock(replica.port(), Duration.ZERO)) {
      closed = gone.port();
    }
    replicate(closed);

    assertThat(found())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.level()).isEqualTo(Level.WARNING);
              assertThat(finding.detail()).contains("127.0.0.1:" + closed + ": cannot be asked");
            });
  }
}
