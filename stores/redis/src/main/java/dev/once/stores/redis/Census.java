package dev.once.stores.redis;

import dev.once.core.store.Inspection.Counts;
import dev.once.stores.redis.Fields.State;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Counts records by looking at every key, a page at a time. */
final class Census {

  private static final int PAGE = 1_000;

  private final RedisClusterAsyncCommands<byte[], byte[]> commands;
  private final ScanArgs args;
  private long processing;
  private long abandoned;
  private long done;
  private long failed;

  Census(RedisClusterAsyncCommands<byte[], byte[]> commands, String prefix) {
    this.commands = commands;
    String literal = prefix.replaceAll("([\\\\*?\\[\\]])", "\\\\$1");
    args = ScanArgs.Builder.matches(literal + "*").limit(PAGE);
  }

  CompletionStage<Counts> take() {
    return commands
        .time()
        .thenCompose(
            time ->
                pages(commands.scan(args), 1_000 * Reply.parse(time.get(0)))
                    .thenApply(any -> new Counts(processing, abandoned, done, failed)));
  }

  private CompletionStage<Void> pages(CompletionStage<KeyScanCursor<byte[]>> scan, long nowMillis) {
    return scan.thenCompose(
        page ->
            count(page.getKeys(), nowMillis)
                .thenCompose(
                    any ->
                        page.isFinished()
                            ? CompletableFuture.<Void>completedFuture(null)
                            : pages(next(page), nowMillis)));
  }

  private CompletionStage<KeyScanCursor<byte[]>> next(ScanCursor cursor) {
    return commands.scan(cursor, args);
  }

  private CompletableFuture<Void> count(List<byte[]> keys, long nowMillis) {
    List<CompletableFuture<byte[]>> states = new ArrayList<>();
    for (byte[] key : keys) {
      states.add(commands.hget(key, Fields.STATE).toCompletableFuture());
    }
    return CompletableFuture.allOf(states.toArray(new CompletableFuture<?>[0]))
        .thenAccept(any -> states.forEach(state -> add(state.join(), nowMillis)));
  }

  private void add(byte[] field, long nowMillis) {
    if (field == null) {
      return; // it expired in between
    }
    State state = State.parse(field);
    switch (state.status()) {
      case 'd' -> done++;
      case 'f' -> failed++;
      default -> {
        processing++;
        abandoned += state.leaseEnds() <= nowMillis ? 1 : 0;
      }
    }
  }
}
