package dev.once.simulation;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Once;
import dev.once.core.OperationId;
import dev.once.core.spi.Scheduler;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One process on a node, with the real engine in it. Whatever reaches the engine from outside
 * (timers, replies, calls, ends of handlers) comes through {@link #post}, and is dropped once the
 * process is dead.
 */
final class Incarnation implements Scheduler {

  private final Node node;
  private final String who;
  private final World world;
  private final Store store;
  private final Once once;
  private final List<Call> calls = new ArrayList<>();
  private boolean alive = true;
  private boolean closed;
  private int timersSet;
  private int openWatches;

  Incarnation(Node node, int number, World world, SplittableRandom random) {
    this.node = node;
    this.who = "n" + node.number + "." + number;
    this.world = world;
    this.store =
        world.storeKind.isTiered()
            ? ObservedTieredStore.open(world, world.cache, this)
            : new Link(world, this);
    this.once =
        Once.builder(MutantLink.of(world.mutant, store))
            .scheduler(this)
            .random(random)
            .executor(task -> post(0, task))
            .storeTimeout(world.storeTimeout)
            .recordTimeout(world.recordTimeout)
            .purgeInterval(world.purgeInterval)
            .maxWaiters(world.maxWaiters)
            .failureAnswer(Incarnation::failureAnswer)
            .build();
  }

  private static Answer failureAnswer(Throwable cause) {
    return cause instanceof HandlerException failure
        ? failure.answer()
        : Answer.failure(500, Body.of(cause.getClass().getSimpleName()));
  }

  String who() {
    return who;
  }

  Node node() {
    return node;
  }

  Once once() {
    return once;
  }

  boolean isAlive() {
    return alive;
  }

  boolean isClosed() {
    return closed;
  }

  List<Call> calls() {
    return calls;
  }

  /** How many calls may be waiting for another one's answer. */
  long possibleWaiters() {
    return calls.stream().filter(call -> !call.isOver() && call.run() == null).count();
  }

  int timersSet() {
    return timersSet;
  }

  int openWatches() {
    return openWatches;
  }

  void countWatch(int change) {
    openWatches += change;
  }

  void close() {
    closed = true;
    world.history.add(who, "close", "");
    once.close();
  }

  /** A person releases what was seen, by way of this process. */
  void forceRelease(OperationRecord seen) {
    OperationId id = seen.lease().id();
    CompletionStage<Void> unused =
        store
            .inspection()
            .forceRelease(id, seen.lease().fence())
            .thenAccept(
                done -> {
                  if (done) {
                    world.cacheRules.released(id, seen.lease().fence().value());
                  }
                });
  }

  void die() {
    alive = false;
    calls.forEach(Call::crashed);
  }

  /** Something for this process to do, after a true duration. */
  void post(long nanos, Runnable task) {
    world.queue.after(nanos, () -> deliver(task));
  }

  private void deliver(Runnable task) {
    if (!alive) {
      return;
    }
    if (node.isPaused()) {
      node.holdBack(task);
    } else {
      task.run();
    }
  }

  // The scheduler that the engine sees.

  @Override
  public Timer schedule(Duration delay, Runnable task) {
    SetTimer timer = new SetTimer(task);
    long nanos = delay.toNanos() * (world.mutant == Mutant.SLOW_TIMERS ? 3 : 1);
    timer.event = world.queue.after(node.clock.trueNanos(nanos), () -> deliver(timer::fire));
    timersSet++;
    return timer;
  }

  @Override
  public long nanoTime() {
    return node.clock.nanos();
  }

  private final class SetTimer implements Timer {
    private final Runnable task;
    private EventQueue.@Nullable Event event;
    private boolean over;

    SetTimer(Runnable task) {
      this.task = task;
    }

    void fire() {
      if (!over) {
        over = true;
        timersSet--;
        task.run();
      }
    }

    @Override
    public void cancel() {
      if (!over) {
        over = true;
        timersSet--;
        if (event != null) {
          event.cancel();
        }
      }
    }
  }
}
