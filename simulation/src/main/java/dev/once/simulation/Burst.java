package dev.once.simulation;

import dev.once.core.Operation;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import dev.once.simulation.StoreServer.State;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Hundreds of first requests while the store is stopped, or cut off and started again: all of them
 * are in doubt at once.
 */
final class Burst {

  private static final long MILLI = 1_000_000;
  private static final int MANY = 100;

  private final World world;
  private final List<Call> calls = new ArrayList<>();

  Burst(World world, Node node, SplittableRandom random, long latest) {
    this.world = world;
    List<Operation> operations = Workload.burst(random);
    long start = random.nextLong(latest);
    long stop = world.storeTimeout.toNanos() * 3 + random.nextLong(500 * MILLI);
    if (random.nextBoolean()) {
      world.queue.after(start, () -> world.server.setState(State.STOPPED));
    } else {
      long cut = start + random.nextLong(5 * MILLI, 25 * MILLI);
      world.queue.after(cut, () -> world.server.setState(State.DOWN));
      world.queue.after(cut + 5 * MILLI, world.server::restart);
    }
    world.queue.after(start + stop, () -> world.server.setState(State.UP));
    world.queue.after(
        start,
        () -> {
          Incarnation at = node.current();
          if (at != null) {
            operations.forEach(operation -> send(operation, at, random));
          }
        });
  }

  private void send(Operation operation, Incarnation at, SplittableRandom random) {
    HandlerPlan plan = HandlerPlan.random(random, operation.policy());
    Call call = new Call(world, at, operation, plan, ignored -> {});
    call.send(random.nextLong(20 * MILLI));
    calls.add(call);
  }

  /** How many events it may add. */
  int events() {
    return 100_000;
  }

  void noteCoverage() {
    long inDoubt =
        calls.stream()
            .filter(
                call ->
                    call.result() instanceof Result.Refused refused
                        && refused.refusal().reason() == Reason.STORE_DOWN)
            .count();
    if (inDoubt > MANY) {
      world.coverage.saw(Happening.BURST);
    }
  }
}
