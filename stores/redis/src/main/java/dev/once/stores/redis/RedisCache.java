package dev.once.stores.redis;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import dev.once.core.Bytes;
import dev.once.core.OperationId;
import dev.once.core.store.Cache;
import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.StoreException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.resource.ClientResources;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link Cache} in Redis or Valkey: one server, whichever the sentinels name, or a cluster.
 * Thread-safe.
 *
 * <p>A value is one string. A look is a {@code GET}, a put one call of a script that compares the
 * ranks. Any {@code maxmemory-policy} will do, and no persistence is needed. A Redis that is not
 * there when this is opened is looked for until it is; till then every step fails.
 *
 * <p>Databases that share a Redis need a {@linkplain RedisSettings#prefix prefix} each.
 */
public final class RedisCache implements Cache {

  private static final Logger log = LoggerFactory.getLogger(RedisCache.class);

  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final long UNKNOWN = Long.MIN_VALUE / 2;
  private static final String TOO_LATE =
      "redis cache: a put was under way for more than " + LATEST + ", and came too late";
  private static final Base64.Encoder NAMES = Base64.getUrlEncoder().withoutPadding();
  private static final Script PUT = Script.named("cache-put");
  private static final String PUT_NAME = new String(PUT.sha(), StandardCharsets.US_ASCII);

  private final RedisSettings settings;
  private final @Nullable ClientResources resources;
  private final LongSupplier nanoTime;
  private final ScheduledThreadPoolExecutor seeker;

  /** The server's clock less ours, in milliseconds; less than that if a reply took its time. */
  private volatile long serverAhead = UNKNOWN;

  // Guarded by this, and read without it.
  private volatile @Nullable ConnectedRedis redis;
  private volatile boolean closed;

  private RedisCache(
      RedisSettings settings, @Nullable ClientResources resources, LongSupplier nanoTime) {
    this.settings = settings;
    this.resources = resources;
    this.nanoTime = nanoTime;
    this.seeker =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "once-redis-cache");
              thread.setDaemon(true);
              return thread;
            });
    connect();
  }

  /**
   * Opens the Redis at this URL: see {@link RedisSettings#parse}.
   *
   * @throws dev.once.core.store.StoreUrlException if the URL is wrong
   */
  public static RedisCache open(String url) {
    return open(RedisSettings.parse(url));
  }

  /** {@link #open(String)} with these settings. */
  public static RedisCache open(RedisSettings settings) {
    return open(settings, System::nanoTime);
  }

  /** {@link #open(String)} on threads that the caller has, and shuts down after the cache. */
  public static RedisCache open(RedisSettings settings, ClientResources resources) {
    return new RedisCache(settings, resources, System::nanoTime);
  }

  /** For tests, which can let time pass. */
  static RedisCache open(RedisSettings settings, LongSupplier nanoTime) {
    return new RedisCache(settings, null, nanoTime);
  }

  private void connect() {
    ConnectedRedis reached;
    try {
      reached = ConnectedRedis.reach(settings, resources);
    } catch (StoreException e) {
      if (!closed) {
        log.warn("cache: {}; looked for again in {}", e.getMessage(), PAUSE);
        lookAgain();
      }
      return;
    }
    synchronized (this) {
      if (!closed) {
        redis = reached;
        seeker.shutdown();
        return;
      }
    }
    reached.close();
  }

  private synchronized void lookAgain() {
    if (!closed) {
      seeker.schedule(this::connect, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public CompletionStage<Optional<Bytes>> get(OperationId id) {
    return step(
        commands ->
            commands.get(key(id)).thenApply(value -> Optional.ofNullable(value).map(Bytes::wrap)));
  }

  @Override
  public CompletionStage<Void> put(OperationId id, Bytes value, Duration life) {
    long asked = nanoTime.getAsLong();
    long longest = Math.min(LATEST.toNanos(), life.toNanos());
    return put(id, value, life, asked)
        .thenCompose(
            late ->
                late && nanoTime.getAsLong() - asked < longest
                    ? put(id, value, life, asked)
                    : completedFuture(late))
        .thenCompose(
            late ->
                late && nanoTime.getAsLong() - asked < life.toNanos()
                    ? failedFuture(new StoreException(TOO_LATE, null))
                    : completedFuture(null)); // put, or over before it could be
  }

  /**
   * The server itself refuses what comes too late, and takes what a value has lived on its way off
   * its life, by its own clock: of that we know what its last reply said. So the first put of all
   * is refused, and the first after that clock was set; the next try is not. Whether it came too
   * late, or the clock was set, is known when the reply comes.
   *
   * @return whether it was refused as too late
   */
  private CompletionStage<Boolean> put(OperationId id, Bytes value, Duration life, long asked) {
    byte[][] keys = {key(id)};
    byte[][] arguments = {
      value.toArray(),
      ascii(life.toMillis()),
      ascii(serverAhead + millis(asked)),
      ascii(LATEST.toMillis())
    };
    return step(
        commands ->
            commands
                .<Long>evalsha(PUT_NAME, ScriptOutputType.INTEGER, keys, arguments)
                .exceptionallyCompose(
                    failure ->
                        Failures.isNoScript(Failures.cause(failure))
                            ? commands.<Long>eval(
                                PUT.text(), ScriptOutputType.INTEGER, keys, arguments)
                            : failedFuture(failure))
                .thenApply(
                    time -> {
                      serverAhead = Math.abs(time) - millis(nanoTime.getAsLong());
                      return time < 0;
                    }));
  }

  private static long millis(long nanos) {
    return nanos / 1_000_000;
  }

  private <T> CompletionStage<T> step(
      Function<RedisClusterAsyncCommands<byte[], byte[]>, CompletionStage<T>> step) {
    ConnectedRedis connected = redis;
    if (closed || connected == null) {
      return failedFuture(
          new StepNotTakenException(
              "redis cache: " + (closed ? "closed (expected: open)" : "not reached yet")));
    }
    try {
      return step.apply(connected.link().commands())
          .exceptionallyCompose(failure -> failed(connected, failure));
    } catch (RuntimeException e) {
      return failed(connected, e);
    }
  }

  private static <T> CompletionStage<T> failed(ConnectedRedis connected, Throwable failure) {
    Throwable cause = Failures.cause(failure);
    if (Failures.isReadOnly(cause) || Failures.isMoved(cause)) {
      connected.link().reconnect();
    }
    return failedFuture(Failures.explain(cause));
  }

  private static byte[] ascii(long number) {
    return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
  }

  /** Not among the keys of a store with the same prefix. */
  private byte[] key(OperationId id) {
    String name = NAMES.encodeToString(id.digest().toArray());
    return ("cache:" + settings.prefix() + name).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    ConnectedRedis connected;
    synchronized (this) {
      closed = true;
      connected = redis;
    }
    seeker.shutdownNow();
    if (connected != null) {
      connected.close();
    }
  }
}
