package dev.once.stores.redis;

import static dev.once.stores.redis.StoreSteps.assertReplays;
import static dev.once.stores.redis.StoreSteps.finished;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.store.Finding;
import dev.once.core.store.Finding.Level;
import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.StoreException;
import dev.once.testing.servers.RedisServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

/** Whom a server lets in, and whether it is fit to hold keys. */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class AccessTest {

  /** As in docs/redis.md. */
  private static final String[] RULES = {
    "on",
    ">secret",
    "resetchannels",
    "~once:*",
    "&once:*",
    "+eval",
    "+evalsha",
    "+hmget",
    "+hget",
    "+hset",
    "+hsetnx",
    "+hexists",
    "+pexpire",
    "+pexpireat",
    "+pexpiretime",
    "+pttl",
    "+del",
    "+time",
    "+publish",
    "+subscribe",
    "+unsubscribe",
    "+wait",
    "+scan",
    "+ping",
    "+hello",
    "+info"
  };

  private static RedisServer server;

  @BeforeAll
  static void startServer() throws Exception {
    server = RedisServer.start("appendonly yes", "appendfsync always", "maxmemory 100mb");
  }

  @AfterAll
  static void stopServer() throws Exception {
    server.close();
  }

  private static String user(String... changes) throws Exception {
    String name = "user" + System.nanoTime();
    String[] words = new String[3 + RULES.length + changes.length];
    System.arraycopy(new String[] {"ACL", "SETUSER", name}, 0, words, 0, 3);
    System.arraycopy(RULES, 0, words, 3, RULES.length);
    System.arraycopy(changes, 0, words, 3 + RULES.length, changes.length);
    assertThat(server.command(words)).isEqualTo("OK");
    return "redis://" + name + ":secret@127.0.0.1:" + server.port();
  }

  @Test
  void a_user_with_the_rights_that_the_documentation_names_can_do_everything() throws Exception {
    try (RedisStore store = RedisStore.open(user())) {
      finished(store, "a");
      assertReplays(store, "a");
      assertThat(StoreSteps.await(store.count()).done()).isPositive();
    }
    assertThat(levels(user(), Level.UNFIT)).isEmpty();
  }

  @Test
  void a_user_who_lacks_a_command_is_told_at_the_start() throws Exception {
    String url = user("-pexpire");

    assertThatThrownBy(() -> RedisStore.open(url).close())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("NOPERM");
    assertThat(levels(url, Level.UNFIT)).singleElement().asString().contains("commands");
  }

  @Test
  void a_command_that_is_forbidden_later_is_not_taken_and_leaves_no_doubt() throws Exception {
    String url = user();
    try (RedisStore store = RedisStore.open(url)) {
      String name = url.substring("redis://".length(), url.indexOf(":secret"));
      server.command("ACL", "SETUSER", name, "-evalsha");

      assertThat(StoreSteps.outcome(store.claim(StoreSteps.request("forbidden"))))
          .isInstanceOf(StepNotTakenException.class)
          .asString()
          .contains("NOPERM");
    }
  }

  @Test
  void a_user_who_may_not_touch_the_keys_is_told_at_the_start() throws Exception {
    assertThatThrownBy(() -> RedisStore.open(user() + "?prefix=other:").close())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("NOPERM");
  }

  @Test
  void a_user_who_may_not_publish_completes_without_wake_ups() throws Exception {
    String url = user("resetchannels");
    try (RedisStore store = RedisStore.open(url)) {
      finished(store, "silent");
      assertReplays(store, "silent");
    }
    assertThat(levels(url, Level.WARNING)).anySatisfy(f -> assertThat(f).contains("wake-ups"));
  }

  @Test
  void a_server_that_hides_its_state_is_used_with_warnings() throws Exception {
    String url = user("-info");
    RedisStore.open(url).close();
    assertThat(levels(url, Level.WARNING)).anySatisfy(f -> assertThat(f).contains("eviction"));
  }

  @Test
  void a_wrong_password_is_said_without_showing_it() throws Exception {
    String url = user().replace(":secret@", ":wrong-one@");
    assertThatThrownBy(() -> RedisStore.open(url).close())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("WRONGPASS")
        .hasMessageNotContaining("wrong-one");
  }

  @Test
  void a_server_that_evicts_is_refused_unless_its_policy_is_allowed_by_name() throws Exception {
    for (String policy : List.of("allkeys-lru", "volatile-ttl")) {
      server.command("CONFIG", "SET", "maxmemory-policy", policy);

      assertThatThrownBy(() -> RedisStore.open(server.url()).close())
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(policy)
          .hasMessageContaining("noeviction");
      assertThatThrownBy(() -> RedisStore.open(user()).close()) // this user may not see CONFIG
          .hasMessageContaining(policy);
      assertThatThrownBy(
              () -> RedisStore.open(server.url() + "?allow-eviction=allkeys-random").close())
          .isInstanceOf(StoreException.class);
      RedisStore.open(server.url() + "?allow-eviction=" + policy).close();
    }
    server.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
    RedisStore.open(server.url()).close();
  }

  @Test
  void durable_is_said_only_of_a_server_with_an_append_only_file() throws Exception {
    try (RedisStore store = RedisStore.open(server.url())) {
      assertThat(store.capabilities().durable()).isTrue();
    }
    try (RedisServer other = RedisServer.start();
        RedisStore store = RedisStore.open(other.url())) {
      assertThat(store.capabilities().durable()).isFalse();
    }
  }

  @Test
  void a_check_of_a_good_server_finds_nothing_to_say_against_it() {
    List<Finding> findings = RedisStore.check(server.url());

    assertThat(findings)
        .filteredOn(f -> !f.subject().equals("latency")) // which is this machine's
        .allSatisfy(f -> assertThat(f.level()).isEqualTo(Level.GOOD));
    assertThat(findings.stream().map(Finding::subject))
        .containsExactly(
            "connection",
            "version",
            "role",
            "eviction",
            "memory",
            "persistence",
            "replicas",
            "commands",
            "wake-ups",
            "latency",
            "clock");
  }

  @Test
  void a_check_tells_a_replica_and_missing_replicas_and_a_server_that_is_not_there()
      throws Exception {
    assertThat(levels(server.url() + "?replicas=1", Level.UNFIT))
        .anySatisfy(f -> assertThat(f).contains("replicas"));
    String gone;
    try (RedisServer replica = RedisServer.start()) {
      gone = replica.url();
      replica.command("REPLICAOF", "127.0.0.1", "" + server.port());
      assertThat(levels(replica.url(), Level.UNFIT))
          .anySatisfy(f -> assertThat(f).contains("role"));
      assertThatThrownBy(() -> RedisStore.open(replica.url()).close())
          .hasMessageContaining("replica");
    }
    assertThat(RedisStore.check(gone))
        .singleElement()
        .satisfies(f -> assertThat(f.subject()).isEqualTo("connection"));
    assertThatThrownBy(() -> RedisStore.open(gone).close())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(gone);
  }

  private static List<String> levels(String url, Level level) {
    return RedisStore.check(url).stream()
        .filter(finding -> finding.level() == level)
        .map(finding -> finding.subject() + ": " + finding.detail())
        .toList();
  }
}
