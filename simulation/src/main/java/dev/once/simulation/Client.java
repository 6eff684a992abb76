package dev.once.simulation;

import dev.once.core.Operation;
import dev.once.core.Result;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Somebody who wants one operation done, and asks again on another node when it is refused, fails,
 * gets no result, or takes too long.
 */
final class Client {

  private static final long MILLI = 1_000_000;

  private final World world;
  private final List<Node> nodes;
  private final SplittableRandom random;
  private final Operation operation;
  private int triesLeft;

  /** Which call it waits for: results of calls given up before do not matter to it. */
  private int tries;

  Client(World world, List<Node> nodes, SplittableRandom random, Operation operation) {
    this.world = world;
    this.nodes = nodes;
    this.random = random;
    this.operation = operation;
    this.triesLeft = random.nextInt(1, 6);
  }

  void start(long nanos) {
    world.queue.after(nanos, this::ask);
  }

  private void ask() {
    int current = ++tries;
    if (triesLeft-- == 0) {
      return;
    }
    Incarnation at = nodes.get(random.nextInt(nodes.size())).current();
    if (at == null) {
      retry(current);
      return;
    }
    HandlerPlan plan = HandlerPlan.random(random, operation.policy());
    new Call(world, at, operation, plan, over -> result(current, over))
        .send(random.nextLong(100_000, 3 * MILLI));
    long timeout = random.nextLong(20 * MILLI, random.nextInt(3) == 0 ? 300 * MILLI : 4000 * MILLI);
    world.queue.after(timeout, () -> retry(current));
  }

  private void result(int asked, Call call) {
    Result result = call.result();
    boolean answered = result != null && !(result instanceof Result.Refused);
    // Some ask again though they have an answer: their own memory is lost, or two tabs are open.
    if (!answered || random.nextInt(4) == 0) {
      retry(asked);
    }
  }

  private void retry(int asked) {
    if (asked == tries) {
      tries++;
      world.queue.after(random.nextLong(MILLI, 500 * MILLI), this::ask);
    }
  }
}
