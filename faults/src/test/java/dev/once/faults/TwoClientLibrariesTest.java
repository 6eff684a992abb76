package dev.once.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.testing.servers.FaultProxy;
import dev.once.testing.servers.RedisServer;
import io.lettuce.core.RedisClient;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Applications on one store, of which one has Lettuce 7 and others have 6.6, as during an upgrade.
 * The build puts the jars of 6.6 into a folder.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class TwoClientLibrariesTest {

  private static String lettuce6;

  /** The same as here, but for Lettuce and Netty. */
  @BeforeAll
  static void findLettuce6() throws Exception {
    List<String> path = new ArrayList<>();
    try (Stream<Path> jars = Files.list(Path.of("target/lettuce6"))) {
      jars.map(jar -> jar.toAbsolutePath().toString()).forEach(path::add);
    }
    assertThat(path).anyMatch(jar -> jar.contains("lettuce-core-6.6"));
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      String name = Path.of(entry).getFileName().toString();
      if (!name.startsWith("lettuce-core-") && !name.startsWith("netty-")) {
        path.add(entry);
      }
    }
    lettuce6 = String.join(File.pathSeparator, path);
    assertThat(RedisClient.class.getProtectionDomain().getCodeSource().getLocation().toString())
        .contains("lettuce-core-7");
  }

  @Test
  void are_killed_paused_cut_off_and_lose_replies_on_one_redis() throws Exception {
    try (Subject redis = new RedisSubject("appendonly yes", "appendfsync always");
        Run run = new Run("Lettuce 7 and 6.6", Plan.SHORT)) {
      String url = redis.newStore();
      run.engine(StoreOpening.open(redis.throughProxy(url)));
      ClientProcess old = run.process(redis.throughProxy(url), 0, lettuce6);
      ClientProcess killed = run.process(url, 0, lettuce6);
      run.awaitHandlers(old);
      run.awaitHandlers(killed);
      killed.kill();
      FaultProxy proxy = redis.proxy();
      for (int i = 0; i < 5; i++) {
        proxy.cut();
        run.awaitAnswers(20);
      }
      int enough = proxy.lostReplies() + 15;
      proxy.dropReplies(0.2);
      Eventually.until(() -> "lost replies", () -> proxy.lostReplies() >= enough);
      proxy.heal();
      redis.kill();
      run.awaitRefusals(3);
      redis.restart();
      run.awaitHandlers(old);
      old.pause();
      Eventually.letTimePass(run.pastTheLease());
      old.resume();
      run.process(url, run.history().last(), lettuce6);
      run.awaitAnswers(100);
      run.finish();
      run.check(() -> StoreOpening.open(url));
    }
  }

  @Test
  void go_on_when_sentinels_promote_a_replica() throws Exception {
    try (Topology sentinels = new SentinelTopology();
        Run run = new Run("Lettuce 7 and 6.6, sentinels, replicas=1", Plan.SHORT)) {
      String url = sentinels.newStore(1);
      run.engine(StoreOpening.open(url));
      ClientProcess old = run.process(url, 0, lettuce6);
      run.awaitHandlers(old);
      run.awaitAnswers(100);
      RedisServer lost = sentinels.master();
      lost.kill();
      sentinels.awaitSuccessor(lost);
      lost.restart();
      sentinels.follow(lost);
      run.awaitAnswers(100);
      run.awaitHandlers(old);
      run.finish();
      run.check(() -> StoreOpening.open(url));
    }
  }
}
