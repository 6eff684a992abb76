package dev.once.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A machine on which one process after the other runs. A crash ends a process with all that it had
 * to do; a pause (SIGSTOP) holds it all back, and then lets it go at once.
 */
final class Node {

  final int number;
  final NodeClock clock;
  private final World world;
  private final SplittableRandom random;
  private final List<Runnable> heldBack = new ArrayList<>();
  private @Nullable Incarnation current;
  private int incarnations;
  private boolean paused;
  private long pausedAt;
  private long pausedFor;

  Node(int number, World world, SplittableRandom random) {
    this.number = number;
    this.world = world;
    this.random = random;
    double rate = random.nextInt(3) == 0 ? random.nextDouble(0.9, 1.1) : 1;
    this.clock = new NodeClock(world.queue, rate, random.nextLong(-1_500, 1_500));
    start();
  }

  /** Null while it is down. */
  @Nullable Incarnation current() {
    return current;
  }

  boolean isPaused() {
    return paused;
  }

  /** True time without pauses, and without what its clock lost by jumping back. */
  long workingNanos() {
    return world.queue.now() - pausedFor - clock.setBackNanos();
  }

  void start() {
    if (current == null) {
      incarnations++;
      current = new Incarnation(this, incarnations, world, random.split());
      world.history.add(current.who(), "start", "");
    }
  }

  void crash() {
    if (current != null) {
      Incarnation dying = current;
      current = null;
      if (paused) {
        pausedFor += world.queue.now() - pausedAt;
      }
      paused = false;
      heldBack.clear();
      world.history.add(dying.who(), "crash", "");
      dying.die();
    }
  }

  void pause() {
    if (current != null && !paused) {
      paused = true;
      pausedAt = world.queue.now();
      world.history.add(current.who(), "pause", "");
    }
  }

  void resume() {
    if (current != null && paused) {
      paused = false;
      Incarnation resuming = current;
      pausedFor += world.queue.now() - pausedAt;
      world.history.add(resuming.who(), "resume", "");
      resuming.calls().forEach(call -> call.wasPaused(world.queue.now() - pausedAt));
      List<Runnable> due = List.copyOf(heldBack);
      heldBack.clear();
      // In any order: timers and sockets were all ready at once.
      due.forEach(task -> resuming.post(random.nextLong(1_000_000), task));
    }
  }

  void holdBack(Runnable task) {
    heldBack.add(task);
  }
}
