package dev.once.stores.redis;

import static dev.once.stores.redis.StoreSteps.RETENTION;
import static dev.once.stores.redis.StoreSteps.await;
import static dev.once.stores.redis.StoreSteps.claim;
import static dev.once.stores.redis.StoreSteps.granted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.store.Claim;
import dev.once.core.store.Store;
import dev.once.testing.servers.RedisServer;
import java.io.IOException;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

/** From which size on answers are compressed is a setting; whoever reads them need not have it. */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class CompressionTest {

  private static final Answer ANSWER = Answer.success(201, Body.of("paid ".repeat(400)));

  @Test
  void answers_are_compressed_from_the_size_that_is_set_and_read_by_everybody() throws Exception {
    try (RedisServer server = RedisServer.start();
        Store asItComes = RedisStore.open(server.url());
        Store compressing = RedisStore.open(server.url() + "?compress-from=256")) {
      record(asItComes, "a");
      assertThat(bytesOfTheRecord(server)).isGreaterThan(2000);
      assertThat(replayed(compressing, "a")).isEqualTo(ANSWER);

      server.command("FLUSHALL");
      record(compressing, "b");
      assertThat(bytesOfTheRecord(server)).isLessThan(200);
      assertThat(replayed(asItComes, "b")).isEqualTo(ANSWER);
    }
  }

  private static void record(Store store, String key) {
    assertThat(await(store.complete(granted(store, key), ANSWER, RETENTION))).isTrue();
  }

  private static Answer replayed(Store store, String key) {
    return ((Claim.Finished) claim(store, key)).answer();
  }

  /** There is no other record. */
  private static int bytesOfTheRecord(RedisServer server) throws IOException {
    String name = server.command("RANDOMKEY");
    assertThat(name).startsWith("once:");
    return Integer.parseInt(server.command("HSTRLEN", name, "answer").strip());
  }
}
