package dev.once.simulation;

import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Operation;
import dev.once.core.OperationId;
import dev.once.core.Policy;
import dev.once.core.Policy.Keep;
import dev.once.core.Policy.OnBusy;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Policy.OnEnd;
import dev.once.core.Policy.OnStoreDown;
import dev.once.core.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** The operations that clients ask for: few keys, so that they collide, each with its policy. */
final class Workload {

  private static final List<OperationId> IDS =
      IntStream.range(0, 10)
          .mapToObj(i -> new OperationId(Scope.GLOBAL, Key.of("key-of-client-000" + i)))
          .toList();
  private static final List<OperationId> BURST_IDS =
      IntStream.range(0, 300)
          .mapToObj(i -> new OperationId(Scope.GLOBAL, Key.of("key-of-the-burst-" + (1000 + i))))
          .toList();
  private static final Fingerprint ASKED = Fingerprint.of("this");
  private static final Fingerprint OTHER = Fingerprint.of("that");

  /** For probing a node, by its number; no client uses these. */
  static Operation probe(int node) {
    Policy policy =
        Policy.DEFAULT.with(p -> p.onBusy(OnBusy.WAIT).longestWait(Duration.ofSeconds(20)));
    return new Operation(IDS.get(IDS.size() - 1 - node), ASKED, policy);
  }

  private final List<Operation> operations = new ArrayList<>();

  Workload(SplittableRandom random, int keys) {
    for (int i = 0; i < keys; i++) {
      operations.add(new Operation(IDS.get(i), ASKED, policy(random)));
    }
  }

  List<Operation> operations() {
    return operations;
  }

  /** Many keys at once, all with the same policy. */
  static List<Operation> burst(SplittableRandom random) {
    Policy policy = policy(random);
    int count = random.nextInt(120, BURST_IDS.size());
    return BURST_IDS.subList(0, count).stream()
        .map(id -> new Operation(id, ASKED, policy))
        .toList();
  }

  /** The same key, for another request. */
  static Operation other(Operation operation) {
    return new Operation(operation.id(), OTHER, operation.policy());
  }

  private static Policy policy(SplittableRandom random) {
    int leaseMillis = random.nextBoolean() ? random.nextInt(100, 400) : random.nextInt(400, 2_000);
    int retentionMillis = random.nextInt(4) == 0 ? random.nextInt(50, 2_000) : 3_600_000;
    return Policy.DEFAULT.with(
        p ->
            p.lease(Duration.ofMillis(leaseMillis))
                .retention(Duration.ofMillis(retentionMillis))
                .longestRun(Duration.ofMillis(random.nextInt(500, 4_000)))
                .onBusy(pick(random, OnBusy.values()))
                .longestWait(Duration.ofMillis(random.nextInt(100, 3_000)))
                .onCrash(pick(random, OnCrash.values()))
                .onRejection(pick(random, OnEnd.values()))
                .onFailure(pick(random, OnEnd.values()))
                .onStoreDown(random.nextInt(8) == 0 ? OnStoreDown.GO_ON : OnStoreDown.REFUSE)
                .keep(random.nextInt(6) == 0 ? Keep.STATUS_ONLY : Keep.ANSWER)
                .maxStoredBody(random.nextInt(6) == 0 ? 0 : 1_000));
  }

  private static <T> T pick(SplittableRandom random, T[] values) {
    return values[random.nextInt(values.length)];
  }
}
