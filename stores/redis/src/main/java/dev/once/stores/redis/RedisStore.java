package dev.once.stores.redis;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.Fingerprint;
import dev.once.core.OperationId;
import dev.once.core.Policy;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Finding;
import dev.once.core.store.Inspection;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.OperationRecord.Status;
import dev.once.core.store.RecordFormatException;
import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.Store;
import dev.once.core.store.StoreCapabilities;
import dev.once.core.store.StoreException;
import dev.once.core.store.spi.AnswerCodec;
import io.lettuce.core.resource.ClientResources;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store in Redis or Valkey: one server, whichever the sentinels name, or a cluster. Thread-safe.
 *
 * <p>A record is one hash, so all of it is in one slot. Each step is one call of a Lua script,
 * which Redis runs as a whole; leases, expiry and fences are judged there by the server's {@code
 * TIME}. All steps share one connection, and those asked for at the same time one system call.
 *
 * <p>A stage completes on a thread of the connection. What hangs on it must not block: no other
 * reply is read meanwhile.
 *
 * <p>What Redis loses, this store loses: without an append-only file its last writes when it stops,
 * and at a failover those that no replica had. {@link #check} says how a server stands.
 */
public final class RedisStore implements Store, Inspection {

  private static final byte[] YES = {'1'};
  private static final byte[] NO = {'0'};

  /** A string, not a number. */
  private static final int SAME_FINISHED = 0;

  private static final int OTHER_FINISHED = 1;
  private static final int GRANTED = 2;
  private static final int BUSY = 3;
  private static final int ABANDONED = 4;

  /** Any number above the others: it is the fence. */
  private static final int FIRST_ATTEMPT = ABANDONED + 1;

  /** A replay says not how long the answer is still kept; who asks again mostly does so soon. */
  private static final Duration ONE_MORE_REPLAY = Duration.ofMinutes(1);

  private static final Base64.Encoder NAMES = Base64.getUrlEncoder().withoutPadding();

  private final ConnectedRedis redis;
  private final String prefix;
  private final int compressFrom;
  private final Script.All scripts;
  private final StepSender steps;
  private final WakeUps wakeUps;
  private final RecentlyFinished recentlyFinished;
  private final SeenFences fences;
  private final boolean confirming;
  private final StoreCapabilities capabilities;

  private RedisStore(
      RedisSettings settings, @Nullable ClientResources users, LongSupplier nanoTime) {
    redis = ConnectedRedis.open(settings, users);
    prefix = settings.prefix();
    compressFrom = settings.compressFrom();
    scripts = redis.scripts();
    steps = redis.steps();
    wakeUps = new WakeUps(redis.link(), redis.timer());
    recentlyFinished = new RecentlyFinished(nanoTime);
    fences = new SeenFences(settings.topology(), System::nanoTime);
    confirming = settings.replicas() > 0;
    capabilities =
        new StoreCapabilities(
            redis.fitness().isDurable(), true, true, false, Policy.MAX_STORED_BODY);
  }

  /**
   * Opens the Redis at this URL: see {@link RedisSettings#parse}.
   *
   * @throws dev.once.core.store.StoreUrlException if the URL is wrong
   * @throws StoreException if it cannot be reached, or is unfit: it would drop keys when full, or
   *     does not allow what has to be done
   */
  public static RedisStore open(String url) {
    return open(RedisSettings.parse(url));
  }

  /** {@link #open(String)} with these settings. */
  public static RedisStore open(RedisSettings settings) {
    return new RedisStore(settings, null, System::nanoTime);
  }

  /** {@link #open(String)} on threads that the caller has, and shuts down after the store. */
  public static RedisStore open(RedisSettings settings, ClientResources resources) {
    return open(settings, resources, System::nanoTime);
  }

  /** For tests, which can let time pass. */
  static RedisStore open(RedisSettings settings, ClientResources resources, LongSupplier nanoTime) {
    return new RedisStore(settings, resources, nanoTime);
  }

  /** How fit the Redis at this URL is to hold keys. A URL that leads nowhere is a finding too. */
  public static List<Finding> check(String url) {
    return RedisCheck.of(RedisSettings.parse(url));
  }

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    OperationId id = request.id();
    byte[] key = key(id);
    if (!recentlyFinished.has(id)) {
      return claim(request, key);
    }
    return steps
        .run(
            new ScriptCall<>(
                null, key, Reply::itself, reply -> false, RecordFields.STATE, RecordFields.ANSWER))
        .thenCompose(
            reply -> {
              if (reply.hasOne() && reply.hasTwo() && isConfirmed(id, reply.one())) {
                return CompletableFuture.completedFuture(
                    RecordFields.finished(RecordFields.fingerprintOf(reply.one()), reply.two()));
              }
              recentlyFinished.forget(id);
              return claim(request, key);
            });
  }

  private boolean isConfirmed(OperationId id, byte[] state) {
    return !confirming || recentlyFinished.isConfirmed(id, RecordFields.fenceOf(state));
  }

  private CompletableFuture<Claim> claim(ClaimRequest request, byte[] key) {
    Duration total = request.lease().plus(request.retention());
    byte[] asked = RecordFields.claim(request, total);
    byte[] length = RecordFields.millis(total);
    byte[] tooLow = RecordFields.fence(fences.highest(key));
    if (!confirming) {
      return steps.run(
          new ScriptCall<>(
              scripts.claim(),
              key,
              reply -> fences.seen(key, claim(request, reply)),
              reply -> false,
              asked,
              length,
              tooLow));
    }
    return steps
        .run(
            new ScriptCall<>(
                scripts.claim(),
                key,
                Reply::itself,
                reply -> reply.first() != BUSY, // who is told that comes back
                asked,
                length,
                tooLow,
                YES))
        .thenApply(reply -> fences.seen(key, confirmed(request, reply)));
  }

  /** Replicas have what this reply tells. */
  private Claim confirmed(ClaimRequest request, Reply reply) {
    if (reply.first() == OTHER_FINISHED) {
      recentlyFinished.rememberConfirmed(request.id(), new Fence(reply.number()), ONE_MORE_REPLAY);
    }
    return claim(request, reply);
  }

  private Claim claim(ClaimRequest request, Reply reply) {
    OperationId id = request.id();
    return switch ((int) Math.min(reply.first(), FIRST_ATTEMPT)) {
      case SAME_FINISHED -> replay(id, request.fingerprint(), reply.one());
      case OTHER_FINISHED -> replay(id, RecordFields.fingerprint(reply.one()), reply.two());
      case GRANTED ->
          new Claim.Granted(
              new Lease(id, new Fence(Reply.parse(reply.one())), (int) Reply.parse(reply.two())));
      case BUSY ->
          new Claim.Busy(RecordFields.fingerprint(reply.one()), Duration.ofMillis(reply.number()));
      case ABANDONED ->
          new Claim.Abandoned(
              RecordFields.fingerprint(reply.one()), new Fence(Reply.parse(reply.two())));
      default -> new Claim.Granted(new Lease(id, new Fence(reply.first()), 1));
    };
  }

  private Claim replay(OperationId id, Fingerprint fingerprint, byte[] answer) {
    Claim finished = RecordFields.finished(fingerprint, answer);
    recentlyFinished.remember(id, ONE_MORE_REPLAY);
    return finished;
  }

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    try {
      capabilities.requireFit(answer);
    } catch (IllegalArgumentException e) {
      return CompletableFuture.failedFuture(e);
    }
    OperationId id = lease.id();
    return steps
        .run(
            new ScriptCall<>(
                scripts.complete(),
                key(id),
                RedisStore::isOwner,
                RedisStore::isOwner,
                RecordFields.owner(lease.fence()),
                RecordFields.millis(retention),
                RecordFields.answer(
                    Status.of(answer.outcome()),
                    retention,
                    AnswerCodec.encode(answer, compressFrom))))
        .thenApply(
            recorded -> {
              if (recorded) {
                recentlyFinished.remember(id, retention);
                if (confirming) {
                  recentlyFinished.rememberConfirmed(id, lease.fence(), retention);
                }
              }
              return recorded;
            });
  }

  @Override
  public CompletionStage<Boolean> release(Lease lease) {
    return owned(scripts.release(), lease.id(), RecordFields.fence(lease.fence()), NO);
  }

  /** Where replicas confirm, "not there" counts as little as "removed" if they do not know it. */
  @Override
  public CompletionStage<Boolean> withdraw(OperationId id, long token) {
    byte[] ours = RecordFields.words(Long.toString(token));
    byte[][] arguments = confirming ? new byte[][] {ours, YES} : new byte[][] {ours};
    return steps.run(
        new ScriptCall<>(
            scripts.withdraw(), key(id), RedisStore::isOwner, reply -> true, arguments));
  }

  @Override
  public CompletionStage<Boolean> renew(Lease lease, Duration length) {
    return owned(
        scripts.renew(),
        lease.id(),
        RecordFields.fence(lease.fence()),
        RecordFields.millis(length));
  }

  @Override
  public CompletionStage<Boolean> forceRelease(OperationId id, Fence seen) {
    recentlyFinished.forget(id);
    return owned(scripts.release(), id, RecordFields.fence(seen), YES);
  }

  /** A step that only the owner may take. */
  private CompletionStage<Boolean> owned(Script script, OperationId id, byte[]... arguments) {
    return steps.run(
        new ScriptCall<>(script, key(id), RedisStore::isOwner, RedisStore::isOwner, arguments));
  }

  private static boolean isOwner(Reply reply) {
    return reply.first() == 1;
  }

  /** Nothing to do: Redis deletes what has expired by itself. */
  @Override
  public CompletionStage<Integer> purgeExpired(int atMost) {
    return reply(() -> CompletableFuture.completedFuture(0));
  }

  @Override
  public StoreCapabilities capabilities() {
    return capabilities;
  }

  @Override
  public Inspection inspection() {
    return this;
  }

  @Override
  public CompletionStage<Optional<OperationRecord>> find(OperationId id) {
    byte[] key = key(id);
    return steps.run(
        new ScriptCall<>(scripts.find(), key, reply -> record(id, key, reply), reply -> false));
  }

  private Optional<OperationRecord> record(OperationId id, byte[] key, Reply reply) {
    if (reply.hasOne()) {
      byte[] answer = reply.hasTwo() ? reply.two() : null;
      OperationRecord record = RecordFields.record(id, reply.one(), answer, reply.number());
      fences.seen(key, record.lease().fence());
      return Optional.of(record);
    }
    if (reply.hasTwo()) {
      throw new RecordFormatException("record: has no state; it is damaged");
    }
    return Optional.empty();
  }

  /**
   * {@inheritDoc}
   *
   * <p>It looks at every key of every master, a page at a time: for a person now and then, not for
   * each scrape of metrics. While keys come and go the numbers are close, not exact.
   */
  @Override
  public CompletionStage<Counts> count() {
    return reply(() -> new RecordCounter(redis.link().commands(), prefix, this::look).countAll());
  }

  private CompletionStage<String> look(byte[] key) {
    return steps.run(
        new ScriptCall<>(
            scripts.look(),
            key,
            reply -> new String(reply.one(), StandardCharsets.US_ASCII),
            reply -> false));
  }

  @Override
  public Watch watch(OperationId id, Runnable wake) {
    return wakeUps.add(id, key(id), wake);
  }

  private byte[] key(OperationId id) {
    return (prefix + NAMES.encodeToString(id.digest().toArray())).getBytes(StandardCharsets.UTF_8);
  }

  /** A step that is no script. */
  private <T> CompletionStage<T> reply(Supplier<CompletionStage<T>> step) {
    StepNotTakenException refusal = steps.refusal();
    if (refusal != null) {
      return CompletableFuture.failedFuture(refusal);
    }
    try {
      return step.get()
          .exceptionallyCompose(
              failure -> CompletableFuture.failedFuture(Failures.explain(failure)));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(Failures.explain(e));
    }
  }

  /** Steps that are under way fail with an unknown outcome. */
  @Override
  public void close() {
    redis.close();
  }
}
