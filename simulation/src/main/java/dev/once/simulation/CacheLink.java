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

  /** When it last read that clock, and by how much that had been set back by then. */
  private long clockReadAt;

  private long clockSetBack;
  private boolean wasOutdated;

  CacheLink(World world, CacheServer server, Incarnation caller) {
    this.world = world;
    this.server = server;
    this.caller = caller;
  }

  /** Whether the value that was looked up last was outdated, in a way that is allowed. */
  boolean wasOutdated() {
    return wasOutdated;
  }

  Incarnation caller() {
    return caller;
  }

  long clockReadAt() {
    return clockReadAt;
  }

  long clockSetBack() {
    return clockSetBack;
  }

  @Override
  public CompletionStage<Optional<Bytes>> get(OperationId id) {
    return this.<Lookup>send("look", id, "", false, () -> look(id))
        .thenApply(
            lookup -> {
              wasOutdated = lookup.outdated;
              return lookup.value;
            });
  }

  private record Lookup(Optional<Bytes> value, boolean outdated) {}

  private Lookup look(OperationId id) {
    CacheServer.StoredValue stored = server.get(id);
    if (stored == null) {
      return new Lookup(Optional.empty(), false);
    }
    boolean outdated = world.cacheRules.checkReply(stored);
    world.history.add(
        caller.who(), "look", id, 0, stored.put().value(), outdated ? "outdated, allowed" : "");
    return new Lookup(Optional.of(stored.put().value().bytes()), outdated);
  }

  @Override
  public CompletionStage<Void> put(OperationId id, Bytes value, Duration life) {
    CachePut put = world.cacheRules.checkPut(this, id, CacheValue.of(value), life);
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
                    ? failedFuture(new ConnectionLostException("put came too late"))
                    : completedFuture(null));
  }

  private CompletionStage<Boolean> put(CachePut put, long asked) {
    long askedByServer = serverAhead + asked;
    return send("put", put.id(), put.value(), true, () -> taken(put, askedByServer))
        .thenApply(
            taken -> {
              serverAhead = Math.abs(taken.time) - millis();
              clockReadAt = world.queue.now();
              clockSetBack = taken.clockSetBack;
              return taken.time < 0;
            });
  }

  private record PutReply(long time, long clockSetBack) {}

  private PutReply taken(CachePut put, long asked) {
    if (server.isKeptOutByRelease(put)) {
      world.coverage.saw(Happening.CACHE_RELEASE_KEPT_ANSWER_OUT);
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
    return new PutReply(time, server.clock.setBackMillis());
  }

  private long millis() {
    return caller.nanoTime() / 1_000_000;
  }

  private <T> CompletionStage<T> send(
      String what, OperationId id, Object value, boolean twice, Supplier<T> step) {
    Faults.Transfer transfer = world.cacheFaults.next();
    if (!transfer.fault().label().isEmpty()) {
      world.history.add(caller.who(), what, id, 0, value, "cache: " + transfer.fault().label());
    }
    CompletableFuture<T> stage = new CompletableFuture<>();
    switch (transfer.fault()) {
      case THROWN -> throw new ConnectionLostException(transfer.fault());
      case IMMEDIATE -> arrive(step, stage, transfer, true);
      case REFUSED, REQUEST_LOST -> fail(stage, transfer);
      case REQUEST_LOST_SILENTLY -> {}
      case TAKEN_AFTER_FAILURE -> {
        fail(stage, transfer);
        world.queue.after(
            transfer.requestNanos(),
            () -> arrive(step, new CompletableFuture<>(), transfer, false));
      }
      default ->
          world.queue.after(transfer.requestNanos(), () -> arrive(step, stage, transfer, false));
    }
    if (transfer.fault() == Fault.DUPLICATED && twice) {
      world.queue.after(
          transfer.requestNanos() + world.cacheFaults.copyDelay(),
          () -> arrive(step, new CompletableFuture<>(), transfer, false));
    }
    return stage;
  }

  private <T> void arrive(
      Supplier<T> step, CompletableFuture<T> stage, Faults.Transfer transfer, boolean atOnce) {
    if (!server.isReachedBy(caller.node().number)) {
      world.coverage.saw(Happening.CACHE_OUTAGE);
      fail(stage, transfer);
      return;
    }
    T reply;
    try {
      reply = step.get();
    } catch (StoreException e) {
      world.coverage.saw(Happening.CACHE_FULL);
      reply(() -> stage.completeExceptionally(e), transfer, atOnce);
      return;
    }
    if (transfer.fault() == Fault.REPLY_LOST) {
      fail(stage, transfer);
    } else if (transfer.fault() != Fault.REPLY_LOST_SILENTLY) {
      reply(() -> stage.complete(reply), transfer, atOnce);
    }
  }

  private void reply(Runnable reply, Faults.Transfer transfer, boolean atOnce) {
    if (atOnce) {
      reply.run();
    } else {
      caller.post(transfer.replyNanos(), reply);
    }
  }

  private <T> void fail(CompletableFuture<T> stage, Faults.Transfer transfer) {
    ConnectionLostException failure =
        new ConnectionLostException("cache: " + transfer.fault().label());
    caller.post(transfer.replyNanos(), () -> stage.completeExceptionally(failure));
  }

  @Override
  public void close() {}
}
