package dev.once.cli.process;

import static dev.once.cli.process.Reply.assertReplayed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.testing.servers.ServerClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * The date of the machine that a gateway runs on is set while requests run: by hours, and longer
 * than any lease. SQLite goes by that date; the servers have one of their own.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class ClockJumpsTest {

  private static final Duration FAR = Duration.ofHours(3);

  @TempDir private Path folder;
  private final ServerClock clock = ServerClock.create();

  /** The lease is renewed each 100 seconds: until then only the gateway itself knows better. */
  @ParameterizedTest
  @CsvSource({
    "run-again, 1",
    "outcome-unknown, 1",
    "hold, 1",
    "run-again, -1",
    "outcome-unknown, -1"
  })
  void with_sqlite_what_runs_in_the_gateway_is_still_running(String onCrash, int direction)
      throws Exception {
    runsOnce(direction, List.of("--store", "sqlite:once.db"), onCrash);
  }

  @ParameterizedTest
  @EnumSource(
      value = SharedStore.class,
      mode = Mode.INCLUDE,
      names = {"POSTGRESQL", "REDIS"})
  void with_a_server_the_date_of_the_gateway_does_not_matter(SharedStore kind) throws Exception {
    try (SharedStore.Opened store = kind.open()) {
      runsOnce(1, store.flags(), "run-again");
    }
  }

  private void runsOnce(int direction, List<String> store, String onCrash) throws Exception {
    String[] flags = {"--lease", "300s", "--on-crash", onCrash};
    String[] all = Stream.concat(store.stream(), Stream.of(flags)).toArray(String[]::new);
    try (Upstream upstream = new Upstream(201);
        GatewayProcess gateway =
            GatewayProcess.start(upstream.url(), folder, clock.environment(), all)) {
      Client client = Client.of(gateway);
      Reply before = client.post("/payments", "before");
      Hold hold = upstream.hold("/held");
      CompletableFuture<Reply> held = client.start("/held", "held");
      hold.awaitArrival();

      clock.set(direction > 0 ? FAR : FAR.negated());
      Reply duplicate = client.post("/held", "held");
      assertThat(duplicate.problem()).as("%s", duplicate).isEqualTo("still-running");
      assertThat(Integer.parseInt(duplicate.all("retry-after").get(0))).isBetween(1, 300);
      assertReplayed(client.post("/payments", "before"), before);
      Reply during = client.post("/payments", "during");
      assertReplayed(client.post("/payments", "during"), during);

      hold.release();
      Reply first = Client.await(held);
      assertThat(first.status()).as("%s", first).isEqualTo(201);
      clock.set(Duration.ZERO);
      assertReplayed(client.post("/held", "held"), first);
      assertReplayed(client.post("/payments", "during"), during);
      assertThat(upstream.executions()).hasSize(3);
      assertThat(gateway.isReady()).isTrue();
    }
  }
}
