package dev.once.stores.redis;

import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A server's clock.
 *
 * @param offset how far it is ahead of this machine's
 * @param inaccuracy by how much that may be wrong: the server looked at it at some time between
 *     question and reply
 */
record ServerTime(Duration offset, Duration inaccuracy) {

  static ServerTime of(RedisAsyncCommands<byte[], byte[]> server, Duration timeout) {
    Instant before = Instant.now();
    List<byte[]> time =
        server
            .time()
            .toCompletableFuture()
            .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
            .join();
    Duration half = Duration.between(before, Instant.now()).dividedBy(2);
    Instant its =
        Instant.ofEpochSecond(Reply.parse(time.get(0)))
            .plus(Reply.parse(time.get(1)), ChronoUnit.MICROS);
    return new ServerTime(Duration.between(before.plus(half), its), half);
  }
}
