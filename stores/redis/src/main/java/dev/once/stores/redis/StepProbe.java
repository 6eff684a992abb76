package dev.once.stores.redis;

import dev.once.core.Fence;
import dev.once.core.store.OperationRecord.Status;
import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.StoreException;
import dev.once.core.store.StoreFullException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes each step once, on a key of its own that is gone afterwards. A user who may not do one of
 * them is found out here, and not in the middle of somebody's record; and the servers know the
 * scripts from then on.
 */
final class StepProbe {

  private static final Duration LENGTH = Duration.ofSeconds(10);
  private static final long PAUSE_NANOS = 10_000_000;

  private final ConnectedRedis redis;
  private final RedisSettings settings;

  StepProbe(ConnectedRedis redis, RedisSettings settings) {
    this.redis = redis;
    this.settings = settings;
  }

  /**
   * @throws StoreException if a step is not possible, with the reason
   */
  void run() {
    long deadline = System.nanoTime() + settings.connectTimeout().toNanos();
    for (byte[] key : redis.link().keyOnEachMaster(settings.prefix() + "probe:")) {
      try {
        step(key, deadline);
      } catch (StoreFullException e) {
        // Full is not unfit: what it holds it still gives, and what was granted may still end.
      }
    }
  }

  private void step(byte[] key, long deadline) {
    Script.All scripts = redis.scripts();
    byte[] length = RecordFields.millis(LENGTH);
    long ms = LENGTH.toMillis();
    byte[] claim = bytes("-".repeat(33) + "01 " + ms + " " + ms + " ");
    Supplier<Reply> claiming =
        () -> call(scripts.claim(), key, claim, length, RecordFields.fence(0));
    Fence granted = new Fence(again(deadline, claiming).first());
    byte[] fence = RecordFields.fence(granted);
    byte[] owner = RecordFields.owner(granted);
    byte[] answer = RecordFields.answer(Status.DONE, LENGTH, new byte[0]);
    again(deadline, () -> call(scripts.renew(), key, fence, length));
    again(deadline, () -> call(scripts.complete(), key, owner, length, answer));
    again(deadline, () -> call(null, key, RecordFields.STATE, RecordFields.ANSWER));
    again(deadline, () -> call(scripts.find(), key));
    again(deadline, () -> call(scripts.look(), key));
    again(deadline, () -> call(scripts.withdraw(), key, bytes("1")));
    again(deadline, () -> call(scripts.release(), key, fence, bytes("1")));
  }

  private Reply call(@Nullable Script script, byte[] key, byte[]... arguments) {
    return redis
        .steps()
        .run(new ScriptCall<>(script, key, reply -> reply, reply -> true, arguments))
        .join();
  }

  /** The connections to the nodes of a cluster are only being made. */
  private static Reply again(long deadline, Supplier<Reply> call) {
    while (true) {
      try {
        return call.get();
      } catch (CompletionException e) {
        StoreException failure = Failures.explain(e);
        boolean soon =
            failure instanceof StepNotTakenException && !(failure instanceof StoreFullException);
        if (!soon || System.nanoTime() - deadline > 0) {
          throw failure;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
