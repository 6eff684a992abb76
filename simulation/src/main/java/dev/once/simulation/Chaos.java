package dev.once.simulation;

import dev.once.core.Operation;
import dev.once.core.store.OperationRecord.Status;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What befalls nodes and store while clients work: crashes, pauses, clocks that jump, outages, and
 * a person who releases keys. It stops at {@link #heal}.
 */
final class Chaos {

  private static final long MILLI = 1_000_000;

  private final World world;
  private final List<Node> nodes;
  private final List<Operation> operations;
  private final SplittableRandom random;

  Chaos(World world, List<Node> nodes, List<Operation> operations, SplittableRandom random) {
    this.world = world;
    this.nodes = nodes;
    this.operations = operations;
    this.random = random;
  }

  /** Plans what is to come until then. */
  void plan(long until) {
    int troubles = random.nextInt(7);
    for (int i = 0; i < troubles; i++) {
      world.queue.after(random.nextLong(until), this::trouble);
    }
    int persons = random.nextInt(3);
    for (int i = 0; i < persons; i++) {
      Operation operation = operations.get(random.nextInt(operations.size()));
      world.queue.after(random.nextLong(2 * until), () -> person(operation));
    }
    world.queue.after(until, this::heal);
  }

  private void trouble() {
    Node node = nodes.get(random.nextInt(nodes.size()));
    switch (random.nextInt(10)) {
      case 0, 1, 2 -> crash(node);
      case 3, 4, 5 -> {
        node.pause();
        world.queue.after(random.nextLong(50 * MILLI, 3000 * MILLI), node::resume);
      }
      case 6 -> jump(node);
      case 7 -> {
        world.server.goDown();
        world.queue.after(random.nextLong(5 * MILLI, 1500 * MILLI), world.server::comeUp);
      }
      case 8 -> {
        long millis = random.nextLong(50, 3_000);
        world.storeClock.jump(millis);
        world.coverage.saw(Happening.STORE_CLOCK_JUMP);
        world.history.add("store", "clock", "jumps by " + millis + " ms");
      }
      default -> close(node);
    }
  }

  private void crash(Node node) {
    node.crash();
    world.queue.after(random.nextLong(MILLI, 800 * MILLI), node::start);
  }

  /** An orderly end: closed, given a moment for what still runs, and gone. */
  private void close(Node node) {
    Incarnation closing = node.current();
    // Waiters are woken in no certain order, so that a run with two of them would not replay.
    if (closing == null || node.isPaused() || closing.isClosed() || closing.mayWait() > 1) {
      return;
    }
    world.coverage.saw(Happening.NODE_CLOSED);
    closing.close();
    world.queue.after(
        random.nextLong(MILLI, 500 * MILLI),
        () -> {
          if (closing.isAlive()) {
            crash(node);
          }
        });
  }

  private void jump(Node node) {
    long nanos = random.nextLong(-1500 * MILLI, 4000 * MILLI);
    node.clock.jump(nanos);
    world.coverage.saw(Happening.NODE_CLOCK_JUMP);
    world.history.add("n" + node.number, "clock", "jumps by " + nanos / MILLI + " ms");
  }

  /** Looks at a record, thinks, and releases what was seen; mostly one that is abandoned. */
  private void person(Operation operation) {
    boolean careful = random.nextInt(4) > 0;
    long thinking = random.nextLong(300 * MILLI);
    world
        .server
        .find(operation.id())
        .filter(
            record ->
                !careful
                    || (record.status() == Status.PROCESSING
                        && record.leaseEnds().toEpochMilli() <= world.storeClock.millis()))
        .ifPresent(record -> world.queue.after(thinking, () -> world.server.forceRelease(record)));
  }

  private void heal() {
    world.history.add("all", "heal", "no more faults");
    world.faults.heal();
    world.server.comeUp();
    nodes.forEach(Node::resume);
    nodes.forEach(this::replaceIfClosed);
    nodes.forEach(Node::start);
  }

  private void replaceIfClosed(Node node) {
    Incarnation current = node.current();
    if (current != null && current.isClosed()) {
      node.crash();
    }
  }
}
