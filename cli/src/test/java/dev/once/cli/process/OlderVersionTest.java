package dev.once.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An older and a newer gateway on one store, as while an upgrade is rolled out. Nothing runs twice
 * over an upgrade: a key from before is replayed, or refused. The older one is a build of another
 * commit: {@code -Donce.older=ITS_TREE/cli/target}.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
@EnabledIfSystemProperty(
    named = "once.older",
    matches = ".+",
    disabledReason = "-Donce.older: not given (expected: cli/target of an older build)")
class OlderVersionTest {

  private static final String AT = "application/json";

  @TempDir private Path folder;

  @Test
  void on_one_sqlite_file_nothing_runs_twice_over_an_upgrade() throws Exception {
    sideBySide(List.of("--store", "sqlite:shared.db"));
  }

  @Test
  void nor_where_a_cookie_names_the_caller() throws Exception {
    sideBySide(List.of("--store", "sqlite:shared.db", "--user-cookie", "sid"));
  }

  @ParameterizedTest
  @EnumSource(SharedStore.class)
  void on_one_server_nothing_runs_twice_over_an_upgrade(SharedStore kind) throws Exception {
    try (SharedStore.Opened store = kind.open()) {
      sideBySide(store.flags());
    }
  }

  private void sideBySide(List<String> store) throws Exception {
    String older = System.getProperty("once.older");
    String classPath = older + "/once-cli.jar:" + older + "/lib/*";
    String[] flags = store.toArray(String[]::new);
    try (Upstream upstream = new Upstream(201);
        GatewayProcess old = GatewayProcess.startOther(classPath, upstream.url(), folder, flags);
        GatewayProcess now = GatewayProcess.start(upstream.url(), folder, flags)) {
      Client atOld =
          Client.of(old)
              .with("Authorization", "Bearer alice")
              .with("Cookie", "sid=alice")
              .with("Content-Type", AT);
      Client atNew = atOld.at(now);
      for (int size : new int[] {0, 100_000}) {
        recordedByOneAndNotRunByTheOther(upstream, atOld, atNew, "/by-old-" + size, size);
        recordedByOneAndNotRunByTheOther(upstream, atNew, atOld, "/by-new-" + size, size);
      }
      runsAtOneAndNotAtTheOther(upstream, atOld, atNew, "/runs-at-old");
      runsAtOneAndNotAtTheOther(upstream, atNew, atOld, "/runs-at-new");
    }
  }

  /** The same answer; or, where the versions do not agree on what was asked, 422. */
  private static void recordedByOneAndNotRunByTheOther(
      Upstream upstream, Client one, Client other, String path, int size) {
    upstream.planSize(path, size);
    String key = UUID.randomUUID().toString();
    Reply first = one.post(path, key);
    assertThat(first.status()).isEqualTo(201);
    Reply retry = other.post(path, key);
    if (!retry.problem().equals("key-reused")) {
      Reply.assertReplayed(retry, first);
    }
    Reply.assertReplayed(one.post(path, key), first);
    assertThat(upstream.executions(path)).as(path).hasSize(1);
  }

  private static void runsAtOneAndNotAtTheOther(
      Upstream upstream, Client one, Client other, String path) throws Exception {
    String key = UUID.randomUUID().toString();
    Hold hold = upstream.hold(path);
    CompletableFuture<Reply> held = one.start(path, key);
    hold.awaitArrival();
    assertThat(other.post(path, key).problem()).isIn("still-running", "key-reused");
    hold.release();
    assertThat(Client.await(held).status()).isEqualTo(201);
    assertThat(upstream.executions(path)).as(path).hasSize(1);
  }
}
