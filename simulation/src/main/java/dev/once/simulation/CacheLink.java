package dev.once.simulation;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import dev.once.core.Bytes;
import dev.once.core.OperationId;
import dev.once.core.store.Cache;
import dev.once.core.store.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The cache as one process sees it: over a network of its own, and with what {@code RedisCache}
 * knows of the server's clock.
 */
final class CacheLink implements Cache {

  private static final long UNKNOWN = Long.MIN_VALUE / 2;

  private final World world;
  private final CacheServer server;
  private final Incarnation caller;

  /** The server's clock less the process's, in milliseconds, as its last reply said. */
  private long serverAhead = UNKNOWN;

  /** When it heard of that clock, and how far it had gone back by then. */
  private long heardAt;

  private long clockLost;
  private boolean saidOld;

  CacheLink(World world, CacheServer server, Incarnation caller) {
    this.world = world;
    this.server = server;
    this.caller = caller;
  }

  /** Whether what was looked up last was old, in a way that is allowed. */
  boolean saidOld() {
    return saidOld;
  }

  Incarnation caller() {
    return caller;
  }

  long heardAt() {
    return heardAt;
  }

  long clockLost() {
    return clockLost;
  }

  @Override
  public CompletionStage<Optional<Bytes>> get(OperationId id) {
    return this.<Looked>send("look", id, "", false, () -> look(id))
        .thenApply(
            looked -> {
              saidOld = looked.old;
              return looked.value;
            });
  }

  private record Looked(Optional<Bytes> value, boolean old) {}

  private Looked look(OperationId id) {
    CacheServer.Kept kept = server.get(id);
    if (kept == null) {
      return new Looked(Optional.empty(), false);
    }
    boolean old = world.cacheRules.said(kept);
    world.history.add(caller.who(), "look", id, 0, kept.put().value(), old ? "old, as may be" : "");
    return new Looked(Optional.of(kept.put().value().bytes()), old);
  }

  @Override
  public CompletionStage<Void> put(OperationId id, Bytes value, Duration life) {
    CachePut put = world.cacheRules.asked(this, id, CacheValue.of(value), life);
    long asked = millis();
    return put(put, asked)
        .thenCompose(
            late ->
                late && millis() - asked < Math.min(LATEST.toMillis(), life.toMillis())
                    ? put(put, asked)
                    : completedFuture(late))
        .thenCompose(
            late ->
                late && millis() - asked < life.toMillis()
                    ? failedFuture(new LostException("put came too late"))
                    : completedFuture(null));
  }

  private CompletionStage<Boolean> put(CachePut put, long asked) {
    long askedByServer = serverAhead + asked;
    return send("put", put.id(), put.value(), true, () -> taken(put, askedByServer))
        .thenApply(
            taken -> {
              serverAhead = Math.abs(taken.time) - millis();
              heardAt = world.queue.now();
              clockLost = taken.clockLost;
              return taken.time < 0;
            });
  }

  private record Taken(long time, long clockLost) {}

  private Taken taken(CachePut put, long asked) {
    if (server.isHeldOff(put)) {
      world.coverage.saw(Happening.CACHE_MARK_HELD);
    }
    long time = server.put(put, asked);
    if (world.queue.now() - put.askedAt() > LATEST.toNanos()) {
      world.coverage.saw(Happening.CACHE_PUT_LATE);
    }
    world.history.add(
        "cache", "put", put.id(), 0, put.value(), time < 0 ? "refused, too late" : "");
    if (server.isFull() && put.value().isMark() && time >= 0) {
      world.coverage.saw(Happening.CACHE_FULL_TOOK_MARK);
    }
    return new Taken(time, server.clock.lostMillis());
  }

  private long millis() {
    return caller.nanoTime() / 1_000_000;
  }

  private <T> CompletionStage<T> send(
      String what, OperationId id, Object value, boolean twice, Supplier<T> step) {
    Faults.Way way = world.cacheFaults.next();
    if (!way.fault().label().isEmpty()) {
      world.history.add(caller.who(), what, id, 0, value, "cache: " + way.fault().label());
    }
    CompletableFuture<T> stage = new CompletableFuture<>();
    switch (way.fault()) {
      case THROWN -> throw new LostException(way.fault());
      case IMMEDIATE -> arrive(step, stage, way, true);
      case REFUSED, REQUEST_LOST -> fail(stage, way);
      case REQUEST_VANISHED -> {}
      case STRAY -> {
        fail(stage, way);
        world.queue.after(way.there(), () -> arrive(step, new CompletableFuture<>(), way, false));
      }
      default -> world.queue.after(way.there(), () -> arrive(step, stage, way, false));
    }
    if (way.fault() == Fault.DUPLICATED && twice) {
      world.queue.after(
          way.there() + world.cacheFaults.copyDelay(),
          () -> arrive(step, new CompletableFuture<>(), way, false));
    }
    return stage;
  }

  private <T> void arrive(
      Supplier<T> step, CompletableFuture<T> stage, Faults.Way way, boolean atOnce) {
    if (!server.isReachedBy(caller.node().number)) {
      world.coverage.saw(Happening.CACHE_OUTAGE);
      fail(stage, way);
      return;
    }
    T reply;
    try {
      reply = step.get();
    } catch (StoreException e) {
      world.coverage.saw(Happening.CACHE_FULL);
      reply(() -> stage.completeExceptionally(e), way, atOnce);
      return;
    }
    if (way.fault() == Fault.REPLY_LOST) {
      fail(stage, way);
    } else if (way.fault() != Fault.REPLY_VANISHED) {
      reply(() -> stage.complete(reply), way, atOnce);
    }
  }

  private void reply(Runnable reply, Faults.Way way, boolean atOnce) {
    if (atOnce) {
      reply.run();
    } else {
      caller.post(way.back(), reply);
    }
  }

  private <T> void fail(CompletableFuture<T> stage, Faults.Way way) {
    LostException failure = new LostException("cache: " + way.fault().label());
    caller.post(way.back(), () -> stage.completeExceptionally(failure));
  }

  @Override
  public void close() {}
}
