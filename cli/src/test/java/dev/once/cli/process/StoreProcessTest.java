package dev.once.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import dev.once.testing.servers.RedisServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** From a server that knows nothing of Once to a gateway that keeps its keys there. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class StoreProcessTest {

  @TempDir private Path folder;

  @Test
  void a_database_of_postgresql_is_migrated_and_then_used() throws Exception {
    migratedAndUsed(PostgresServer::shared);
  }

  @Test
  void a_database_of_mariadb_is_migrated_and_then_used() throws Exception {
    migratedAndUsed(MariaDbServer::shared);
  }

  private void migratedAndUsed(Supplier<DatabaseServer> server) throws Exception {
    String url = server.get().newDatabase();
    try (Upstream upstream = new Upstream(201)) {
      GatewayProcess refused =
          GatewayProcess.launch(upstream.url(), folder, Map.of(), "--store", url);
      assertThat(refused.exitCode()).isEqualTo(2);
      assertThat(refused.output())
          .singleElement()
          .asString()
          .contains("the tables of Once are missing", "./once store migrate URL")
          .doesNotContain("once:once");

      GatewayProcess unfit = GatewayProcess.run(folder, "store", "check", url);
      assertThat(unfit.exitCode()).isEqualTo(1);
      assertThat(unfit.output()).anyMatch(line -> line.startsWith("  UNFIT    schema "));

      GatewayProcess migrated = GatewayProcess.run(folder, "store", "migrate", url);
      assertThat(migrated.exitCode()).isZero();
      assertThat(migrated.output())
          .singleElement()
          .asString()
          .endsWith("created the tables: there were none, now schema version 1")
          .doesNotContain("once:once");

      GatewayProcess fit = GatewayProcess.run(folder, "store", "check", url);
      assertThat(fit.exitCode()).as("%s", fit.output()).isZero();
      assertThat(fit.output()).contains("  GOOD     schema      version 1");

      recordsHereAndReplaysThere(upstream, Map.of("ONCE_STORE", url));
      assertThat(upstream.executions()).hasSize(1);
    }
  }

  @Test
  void a_redis_is_used_as_the_variables_say() throws Exception {
    try (RedisServer redis = RedisServer.start("requirepass s3cret/?", "appendonly yes");
        Upstream upstream = new Upstream(201)) {
      String url = "redis://:s3cret%2F%3F@127.0.0.1:" + redis.port();
      GatewayProcess checked = GatewayProcess.run(folder, "store", "check", url);
      assertThat(checked.exitCode()).as("%s", checked.output()).isZero();
      assertThat(checked.output()).noneMatch(line -> line.contains("s3cret"));
      GatewayProcess migrated = GatewayProcess.run(folder, "store", "migrate", url);
      assertThat(migrated.exitCode()).isZero();
      assertThat(migrated.output())
          .containsExactly(
              "redis://****@127.0.0.1:%d: nothing to do: a Redis has no tables"
                  .formatted(redis.port()));
      recordsHereAndReplaysThere(
          upstream,
          Map.of(
              "IDEMPOTENCY_STORAGE", "redis",
              "REDIS_HOST", "127.0.0.1",
              "REDIS_PORT", "" + redis.port(),
              "REDIS_PASSWORD", "s3cret/?",
              "REDIS_DATABASE", "1",
              "REDIS_TIMEOUT", "5.0"));
      assertThat(redis.command("INFO")).startsWith("-NOAUTH");
    }
  }

  private void recordsHereAndReplaysThere(Upstream upstream, Map<String, String> environment) {
    try (GatewayProcess one = GatewayProcess.start(upstream.url(), folder, environment);
        GatewayProcess other = GatewayProcess.start(upstream.url(), folder, environment)) {
      assertThat(Client.of(one).post("/p", "k-1", "{}").marked()).isFalse();
      assertThat(Client.of(other).post("/p", "k-1", "{}").marked()).isTrue();
      for (GatewayProcess gateway : List.of(one, other)) {
        assertThat(gateway.output())
            .noneMatch(line -> line.contains("s3cret") || line.contains("once:once"));
      }
    }
  }
}
