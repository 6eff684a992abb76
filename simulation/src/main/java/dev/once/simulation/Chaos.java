package dev.once.simulation;

import dev.once.core.Operation;
import dev.once.core.OperationId;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.OperationRecord.Status;
import dev.once.simulation.StoreServer.State;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Faults of nodes and store while clients work: crashes, pauses, clocks that jump, outages, and a
 * person who releases keys. It stops at {@link #heal}.
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

  /** Plans the faults until then. */
  void plan(long until) {
    int faults = random.nextInt(7);
    for (int i = 0; i < faults; i++) {
      world.queue.after(random.nextLong(until), this::startFault);
    }
    int releases = random.nextInt(world.storeKind.isTiered() ? 6 : 3);
    for (int i = 0; i < releases; i++) {
      Operation operation = operations.get(random.nextInt(operations.size()));
      world.queue.after(random.nextLong(2 * until), () -> releaseByHand(operation));
    }
    world.queue.after(until, this::heal);
  }

  private void startFault() {
    Node node = anyNode();
    switch (random.nextInt(17)) {
      case 0, 1, 2 -> crash(node);
      case 3, 4, 5 -> {
        node.pause();
        world.queue.after(random.nextLong(50 * MILLI, 3000 * MILLI), node::resume);
      }
      case 6 -> jump(node);
      case 7 -> outage(State.DOWN);
      case 10 -> outage(random.nextBoolean() ? State.REFUSING : State.DOWN);
      case 11 -> outage(State.STOPPED);
      case 8 -> {
        long millis = random.nextLong(50, 3_000);
        world.storeClock.jump(millis);
        world.coverage.saw(Happening.STORE_CLOCK_JUMP);
        world.history.add("store", "clock", "jumps by " + millis + " ms");
      }
      case 12 -> {
        world.server.setFull(true);
        world.queue.after(outageNanos(), () -> world.server.setFull(false));
      }
      case 13 -> {
        OperationId id = operations.get(random.nextInt(operations.size())).id();
        world.server.setUnreadable(id, true);
        world.queue.after(outageNanos(), () -> world.server.setUnreadable(id, false));
      }
      case 14 -> {
        world.server.demote(node.number, operations.stream().map(Operation::id).toList());
        world.queue.after(outageNanos(), () -> world.server.promote(node.number));
      }
      case 15 -> world.server.forgetSince(world.queue.now() - random.nextLong(400 * MILLI));
      case 16 -> {
        long millis = random.nextLong(50, 3_000);
        world.server.clockGoesBack(() -> world.storeClock.jump(-millis));
        world.coverage.saw(Happening.STORE_CLOCK_BACK);
        world.history.add("store", "clock", "goes back by " + millis + " ms");
      }
      default -> close(node);
    }
  }

  /** A cut, a restart, or a process that is stopped for a while. */
  private void outage(State state) {
    world.server.setState(state);
    long nanos = outageNanos();
    if (state == State.DOWN && random.nextBoolean()) {
      world.queue.after(random.nextLong(MILLI, 30 * MILLI), world.server::restart);
    }
    world.queue.after(nanos, () -> world.server.setState(State.UP));
  }

  private long outageNanos() {
    return random.nextLong(5 * MILLI, 1500 * MILLI);
  }

  private void crash(Node node) {
    node.crash();
    world.queue.after(random.nextLong(MILLI, 800 * MILLI), node::start);
  }

  /** An orderly end: closed, given a moment for what still runs, and gone. */
  private void close(Node node) {
    Incarnation closing = node.current();
    // Waiters are woken in no certain order, so that a run with two of them would not replay.
    if (closing == null || node.isPaused() || closing.isClosed() || closing.possibleWaiters() > 1) {
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

  /** A person looks at a record, and releases it a little later; mostly one that is abandoned. */
  private void releaseByHand(Operation operation) {
    boolean careful = random.nextInt(4) > (world.storeKind.isTiered() ? 2 : 0);
    long thinking = random.nextLong(300 * MILLI);
    world
        .server
        .find(operation.id())
        .filter(
            record ->
                !careful
                    || (record.status() == Status.PROCESSING
                        && record.leaseEnds().toEpochMilli() <= world.storeClock.millis()))
        .ifPresent(record -> world.queue.after(thinking, () -> release(record)));
  }

  /** Through a process that also tells the cache; in the database alone if none is up. */
  private void release(OperationRecord record) {
    Incarnation at = world.storeKind.isTiered() ? anyNode().current() : null;
    if (at != null && !at.node().isPaused() && !at.isClosed()) {
      at.forceRelease(record);
    } else {
      boolean unused = world.server.forceRelease(record.lease().id(), record.lease().fence());
    }
  }

  private Node anyNode() {
    return nodes.get(random.nextInt(nodes.size()));
  }

  private void heal() {
    world.history.add("all", "heal", "no more faults");
    world.faults.heal();
    world.healedAt = world.queue.now();
    world.server.heal();
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
