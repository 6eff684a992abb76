package dev.once.stores.redis;

import dev.once.core.store.Inspection.Counts;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Counts records by looking at every key, a page at a time. */
final class RecordCounter {

  private static final int PAGE = 1_000;

  private final RedisClusterAsyncCommands<byte[], byte[]> commands;
  private final ScanArgs args;
  private final Function<byte[], CompletionStage<String>> readStatus;
  private long processing;
  private long abandoned;
  private long done;
  private long failed;

  /**
   * @param look gives the status of a record, and the end of its lease; nothing if it has gone
   */
  RecordCounter(
      RedisClusterAsyncCommands<byte[], byte[]> commands,
      String prefix,
      Function<byte[], CompletionStage<String>> look) {
    this.commands = commands;
    this.readStatus = look;
    String literal = prefix.replaceAll("([\\\\*?\\[\\]])", "\\\\$1");
    args = ScanArgs.Builder.matches(literal + "*").limit(PAGE);
  }

  CompletionStage<Counts> countAll() {
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
    List<CompletableFuture<String>> states = new ArrayList<>();
    for (byte[] key : keys) {
      states.add(readStatus.apply(key).toCompletableFuture());
    }
    return CompletableFuture.allOf(states.toArray(new CompletableFuture<?>[0]))
        .thenAccept(any -> states.forEach(state -> add(state.join(), nowMillis)));
  }

  private void add(String state, long nowMillis) {
    if (state.startsWith("d")) {
      done++;
    } else if (state.startsWith("f")) {
      failed++;
    } else if (state.startsWith("p")) {
      processing++;
      boolean over = state.length() > 1 && Long.parseLong(state.substring(1)) <= nowMillis;
      abandoned += over ? 1 : 0;
    }
  }
}
