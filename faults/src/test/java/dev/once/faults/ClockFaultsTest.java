package dev.once.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import dev.once.testing.servers.RedisSentinels;
import dev.once.testing.servers.RedisServer;
import dev.once.testing.servers.ServerClock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers with a real clock that is wrong. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class ClockFaultsTest {

  /** Seconds: a lease is one. */
  @ParameterizedTest
  @ValueSource(ints = {-4, 4})
  void with_replicas_1_a_replica_takes_over_whose_clock_is_wrong(int ahead) throws Exception {
    ServerClock wrong = ServerClock.create();
    wrong.set(Duration.ofSeconds(ahead));
    List<ServerClock> clocks = List.of(ServerClock.create(), wrong);
    try (Topology sentinels =
            new SentinelTopology(RedisSentinels.start(clocks, Topology.config()));
        Run run = new Run("replica's clock ahead by " + ahead + " s", Plan.SHORT)) {
      String url = sentinels.newStore(1);
      run.engine(StoreOpening.open(url));
      run.engine(StoreOpening.open(url));
      run.awaitAnswers(100);
      RedisServer lost = sentinels.master();
      lost.kill();
      sentinels.awaitSuccessor(lost);
      lost.restart();
      sentinels.follow(lost);
      run.awaitAnswers(200);
      run.finish();
      // Ahead, a lease ends before it should; behind, an answer is kept for longer: the guide says
      // so.
      Rule notPromised = ahead > 0 ? Rule.LEASE_RESPECTED : Rule.EXPIRED_IS_GONE;
      run.check(() -> StoreOpening.open(url), Set.of(notPromised));
      assertThat(backwards(run.history())).as("fences that went back for one process").isEmpty();
    }
  }

  @Test
  void the_clock_of_a_redis_is_set_back_and_forth() throws Exception {
    ServerClock clock = ServerClock.create();
    setBackAndForth(
        clock, new RedisSubject(RedisServer.start(clock, "appendonly yes", "appendfsync always")));
  }

  @Test
  void the_clock_of_a_postgresql_is_set_back_and_forth() {
    ServerClock clock = ServerClock.create();
    setBackAndForth(clock, new DatabaseSubject(PostgresServer.start(clock)));
  }

  @Test
  void the_clock_of_a_mariadb_is_set_back_and_forth() {
    ServerClock clock = ServerClock.create();
    setBackAndForth(clock, new DatabaseSubject(MariaDbServer.start(clock)));
  }

  private static void setBackAndForth(ServerClock clock, Subject subject) {
    try (subject;
        Run run = new Run("clock set back and forth", Plan.SHORT)) {
      String url = subject.newStore();
      run.engine(StoreOpening.open(url));
      run.engine(StoreOpening.open(url));
      run.awaitAnswers(100);
      for (int minutes : new int[] {-10, 0, 10}) {
        clock.set(Duration.ofMinutes(minutes));
        run.awaitAnswers(50);
      }
      run.awaitAnswers(100);
      run.finish();
      // Who is told that an hour has passed cannot know that it has not.
      run.check(() -> StoreOpening.open(url), Set.of(Rule.LEASE_RESPECTED));
    }
  }

  /** Handlers whose call began after another of the same process ran, with a lower fence. */
  private static List<String> backwards(History history) {
    return SeenFences.backwards(history.byKey().values().stream().flatMap(List::stream).toList());
  }
}
