package dev.once.simulation;

import static dev.once.simulation.Invariant.CALLS_END;
import static dev.once.simulation.Invariant.KEY_FREED;
import static dev.once.simulation.Invariant.ORPHAN_WITHDRAWN;
import static dev.once.simulation.Invariant.WAITERS_FORGOTTEN;

import dev.once.core.Operation;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Runs the real engine, on several nodes over one store, in a world in which everything that can go
 * wrong does, and says which invariants broke.
 *
 * <p>All of it happens on one thread, in one queue of events ordered by virtual time; every choice
 * is drawn from the seed. So a run takes a millisecond, and the same seed gives the same history.
 *
 * <ol>
 *   <li>Nodes, policies, clients and faults are drawn. Each node is a {@code Once} with a
 *       scheduler, a random source and an executor of the simulation's, and a store behind a
 *       network: {@link Link}, {@link StoreServer}.
 *   <li>Clients call, collide and retry ({@link Client}); meanwhile calls to the store are lost,
 *       late or repeated ({@link Faults}), and nodes and store fail ({@link Chaos}).
 *   <li>Each step that the store takes is reported to the {@link StoreModel}, each run of a handler
 *       to the {@link RunRules}, each result to the {@link ResultRules}. They hold the invariants.
 *   <li>The faults stop. After a while every call must have ended, and each key is asked for once
 *       more: the result must be a definite one.
 *   <li>Each node is probed: as many duplicates may wait as the settings say, so no place leaked.
 *       Then it is closed, and must fall silent.
 * </ol>
 *
 * <p>An answer names the run that gave it, so that two runs can be told apart by their answers.
 */
public final class Simulation {

  private static final long SECOND = 1_000_000_000L;
  private static final long FAULTS_END = 4 * SECOND;
  private static final long QUIET_END = 45 * SECOND;
  private static final int MAX_EVENTS = 5_000;

  /** By then every claim that nobody runs must be withdrawn. */
  private static final long ORPHANS_WITHDRAWN = FAULTS_END + 20 * SECOND;

  /** By then every put has arrived, and every mark has expired. */
  private static final long LATE_PUTS_END = FAULTS_END + 85 * SECOND;

  private final World world;
  private final List<Node> nodes = new ArrayList<>();
  private final Workload workload;
  private final @Nullable Burst burst;

  private Simulation(long seed, Mutant mutant) {
    SplittableRandom random = new SplittableRandom(seed);
    world = new World(random, mutant);
    boolean crowded = random.nextInt(4) == 0;
    int count = crowded ? random.nextInt(1, 3) : random.nextInt(1, 4);
    for (int i = 0; i < count; i++) {
      nodes.add(new Node(i, world, random.split()));
    }
    workload = new Workload(random, crowded ? 1 : random.nextInt(1, 4));
    startClients(random, crowded);
    burst =
        random.nextInt(150) == 0
            ? new Burst(world, nodes.get(0), random.split(), FAULTS_END / 4)
            : null;
    new Chaos(world, nodes, workload.operations(), random.split()).plan(FAULTS_END);
    if (world.storeKind.isTiered()) {
      new CacheChaos(world, world.cache, nodes, random.split()).plan(FAULTS_END);
    }
  }

  /** One run. */
  public static Verdict run(long seed, Mutant mutant) {
    Simulation simulation = new Simulation(seed, mutant);
    try {
      simulation.run();
    } catch (RuntimeException e) {
      simulation.world.violations.add(
          CALLS_END, "an event threw " + e + " at " + e.getStackTrace()[0]);
    }
    return new Verdict(seed, mutant, simulation.world);
  }

  /**
   * In bursts: duplicates come close to each other, or long after.
   *
   * @param crowded many clients for one key, and half of them with another request
   */
  private void startClients(SplittableRandom random, boolean crowded) {
    for (Operation operation : workload.operations()) {
      int clients = crowded ? random.nextInt(4, 8) : random.nextInt(1, 5);
      long burst = random.nextLong(FAULTS_END / 2);
      for (int i = 0; i < clients; i++) {
        Operation asked =
            random.nextInt(crowded ? 2 : 6) == 0 ? Workload.other(operation) : operation;
        long start =
            random.nextInt(3) == 0
                ? random.nextLong(FAULTS_END)
                : burst + random.nextLong(SECOND / 20);
        new Client(world, nodes, random.split(), asked).start(start);
      }
    }
  }

  private void run() {
    int most = MAX_EVENTS + (burst == null ? 0 : burst.events());
    boolean withinLimit = world.queue.runUntil(ORPHANS_WITHDRAWN, most);
    if (withinLimit) {
      checkOrphans();
      withinLimit = world.queue.runUntil(QUIET_END, most);
    }
    world.violations.require(withinLimit, CALLS_END, () -> "more than " + most + " events");
    if (withinLimit) {
      if (burst != null) {
        burst.noteCoverage();
      }
      checkAllEnded();
      askOnceMore();
      probe();
      if (world.storeKind.isTiered()) {
        runFor(Math.max(0, LATE_PUTS_END - world.queue.now()));
        askOnceMore();
      }
      closeAll();
    }
  }

  /** What nobody ran has been withdrawn by now. */
  private void checkOrphans() {
    for (Grant orphan : world.storeModel.orphans()) {
      Call call = orphan.claimer.call();
      String what = orphan + ": nobody runs it";
      world.violations.add(ORPHAN_WITHDRAWN, what + ", and its call ended with " + call);
      if (call != null
          && call.result() instanceof Result.Refused refused
          && refused.refusal().reason() == Reason.STORE_DOWN) {
        world.violations.add(KEY_FREED, what + ", and its client was told that nothing was done");
      }
    }
  }

  private void checkAllEnded() {
    for (Node node : nodes) {
      Incarnation current = running(node);
      for (Call call : current.calls()) {
        world.violations.require(
            call.isOver() || call.mayHang(),
            CALLS_END,
            () -> "a call on " + current.who() + " for " + call.operation().id() + " hangs");
        checkLongestRun(call);
      }
      world.violations.require(
          current.openWatches() == 0,
          WAITERS_FORGOTTEN,
          () -> current.who() + ": a watch is left open");
      // To purge, to withdraw again, and to renew: that one was set before the last execution
      // ended.
      world.violations.require(
          current.timersSet() <= 3,
          CALLS_END,
          () -> current.who() + ": " + current.timersSet() + " timers");
    }
  }

  /** A handler that never ends does not keep its key for ever. */
  private void checkLongestRun(Call call) {
    Run run = call.run();
    if (!call.isOver() && run != null && run.isProtected()) {
      Grant current = world.storeModel.current(call.operation().id());
      boolean live =
          current != null
              && current.fence == run.fence()
              && !current.isAbandoned(world.storeClock.trueMillis());
      world.violations.require(
          !live, CALLS_END, () -> run + ": never ends, and its lease lives on");
      world.coverage.saw(Happening.LONGEST_RUN_OVER);
    }
  }

  private void askOnceMore() {
    for (int i = 0; i < workload.operations().size(); i++) {
      Operation operation = workload.operations().get(i);
      Incarnation at = running(nodes.get(i % nodes.size()));
      Call call = new Call(world, at, operation, HandlerPlan.success(SECOND / 100), ignored -> {});
      call.send(0);
      runFor(3 * SECOND);
      world.violations.require(
          isDefinite(call),
          CALLS_END,
          () -> "asked once more, " + operation.id() + ": " + call.result());
    }
  }

  private boolean isDefinite(Call call) {
    Result result = call.result();
    if (!(result instanceof Result.Refused refused)) {
      return result != null;
    }
    Reason reason = refused.refusal().reason();
    OnCrash onCrash = call.operation().policy().onCrash();
    Grant current = world.storeModel.current(call.operation().id());
    boolean abandoned =
        current != null && current.isAbandoned(world.storeClock.trueMillis()) && call.run() == null;
    return reason == Reason.MISMATCH
        || (reason == Reason.OUTCOME_UNKNOWN && onCrash == OnCrash.OUTCOME_UNKNOWN && abandoned)
        || (reason == Reason.BUSY && onCrash == OnCrash.HOLD && abandoned);
  }

  /** As many duplicates as may wait do wait, and get the answer. */
  private void probe() {
    for (Node node : nodes) {
      Incarnation at = running(node);
      List<Call> calls = new ArrayList<>();
      for (int i = 0; i <= world.maxWaiters; i++) {
        Call call =
            new Call(
                world,
                at,
                Workload.probe(node.number),
                HandlerPlan.success(SECOND / 5),
                ignored -> {});
        call.send(i * SECOND / 100);
        calls.add(call);
      }
      runFor(2 * SECOND);
      for (Call call : calls) {
        boolean first = call == calls.get(0);
        world.violations.require(
            first
                ? call.result() instanceof Result.Executed
                : call.result() instanceof Result.Replayed,
            CALLS_END,
            () -> at.who() + " is probed: " + call.result());
      }
    }
  }

  /** A closed node does nothing more: timers that are set fire once, and set no others. */
  private void closeAll() {
    nodes.forEach(node -> running(node).close());
    runFor(60 * SECOND);
    for (Node node : nodes) {
      Incarnation closed = running(node);
      world.violations.require(
          closed.timersSet() == 0, CALLS_END, () -> closed.who() + ": timers after it was closed");
    }
  }

  private void runFor(long nanos) {
    world.violations.require(
        world.queue.runUntil(world.queue.now() + nanos, MAX_EVENTS),
        CALLS_END,
        () -> "too many events");
  }

  private static Incarnation running(Node node) {
    @Nullable Incarnation current = node.current();
    if (current == null) {
      throw new IllegalStateException("node " + node.number + ": down (expected: up)");
    }
    return current;
  }
}
