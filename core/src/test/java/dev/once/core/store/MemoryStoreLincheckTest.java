package dev.once.core.store;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fence;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Test;

/**
 * That whatever threads do to a memory store at once, they could have done one after another.
 *
 * <p>There are two operations: one is absent at first, the other abandoned, and every thread has
 * the lost lease. A thread acts by the lease that it was granted last; a person, by the fence that
 * the thread saw last.
 *
 * <p>The numbers of fences are not compared, because one may be drawn and not used. Instead each
 * thread remembers the last that it saw of each operation, and a lower one is an error.
 */
@Param(name = "key", gen = IntGen.class, conf = "0:1")
@Param(name = "thread", gen = ThreadIdGen.class)
@Param(name = "try", gen = IntGen.class, conf = "0:1")
public class MemoryStoreLincheckTest {

  private static final int MAX_THREADS = 4;
  private static final int ABSENT = 0;
  private static final int ABANDONED = 1;
  private static final Duration LEASE = Duration.ofHours(1);
  private static final Fingerprint ASKED = Fingerprint.of("asked");
  private static final List<OperationId> IDS =
      List.of(
          new OperationId(Scope.GLOBAL, Key.of("absent")),
          new OperationId(Scope.GLOBAL, Key.of("abandoned")));

  private Instant now = Instant.EPOCH;
  private final MemoryStore store = new MemoryStore(() -> now, 100, 100_000);

  // By key and thread; each thread touches only its own.
  private final Lease[][] leases = new Lease[IDS.size()][MAX_THREADS];
  private final Fence[][] seen = new Fence[IDS.size()][MAX_THREADS];

  public MemoryStoreLincheckTest() {
    ClaimRequest request = new ClaimRequest(IDS.get(ABANDONED), ASKED, -1, LEASE, LEASE, false);
    Lease lost = ((Claim.Granted) reply(store.claim(request))).lease();
    now = now.plus(LEASE);
    Arrays.fill(leases[ABANDONED], lost);
    Arrays.fill(seen[ABANDONED], lost.fence());
  }

  @Operation
  public String claim(
      @Param(name = "key") int key,
      @Param(name = "thread") int thread,
      @Param(name = "try") int whichTry) {
    long token = 10L * thread + whichTry;
    Claim claim =
        reply(store.claim(new ClaimRequest(IDS.get(key), ASKED, token, LEASE, LEASE, true)));
    if (claim instanceof Claim.Granted granted) {
      see(granted.lease(), key, thread);
      leases[key][thread] = granted.lease();
      return "granted as attempt " + granted.lease().attempt();
    }
    return claim instanceof Claim.Finished finished
        ? "finished by thread " + finished.answer().code()
        : claim.getClass().getSimpleName();
  }

  @Operation
  public boolean complete(@Param(name = "key") int key, @Param(name = "thread") int thread) {
    Lease lease = leases[key][thread];
    Answer answer = Answer.success(thread, Body.EMPTY);
    return lease != null && reply(store.complete(lease, answer, LEASE));
  }

  @Operation
  public boolean release(@Param(name = "key") int key, @Param(name = "thread") int thread) {
    Lease lease = leases[key][thread];
    return lease != null && reply(store.release(lease));
  }

  @Operation
  public boolean renew(@Param(name = "key") int key, @Param(name = "thread") int thread) {
    Lease lease = leases[key][thread];
    return lease != null && reply(store.renew(lease, LEASE));
  }

  @Operation
  public String find(@Param(name = "key") int key, @Param(name = "thread") int thread) {
    OperationRecord record = reply(store.find(IDS.get(key))).orElse(null);
    if (record == null) {
      return "nothing";
    }
    see(record.lease(), key, thread);
    return record.status() + " in attempt " + record.lease().attempt();
  }

  @Operation
  public boolean forceRelease(@Param(name = "key") int key, @Param(name = "thread") int thread) {
    Fence fence = seen[key][thread];
    return fence != null && reply(store.forceRelease(IDS.get(key), fence));
  }

  private void see(Lease lease, int key, int thread) {
    Fence last = seen[key][thread];
    if (last != null && lease.fence().compareTo(last) < 0) {
      throw new AssertionError("fence: " + lease.fence() + " (expected: >= " + last + ")");
    }
    seen[key][thread] = lease.fence();
  }

  private static <T> T reply(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  @Test
  void is_linearizable_in_the_interleavings_of_random_scenarios() {
    modelChecking()
        .iterations(10)
        .invocationsPerIteration(300)
        .check(MemoryStoreLincheckTest.class);
  }

  @Test
  void is_linearizable_where_a_claim_begins_before_and_ends_after_another_ones_life() {
    modelChecking()
        .iterations(0)
        .invocationsPerIteration(1000)
        .addCustomScenario(
            new ExecutionScenario(
                List.of(),
                List.of(
                    List.of(actor("claim", ABSENT, 0, 0)),
                    List.of(actor("claim", ABSENT, 1, 0), actor("release", ABSENT, 1))),
                List.of(actor("find", ABSENT, 1)),
                null))
        .check(MemoryStoreLincheckTest.class);
  }

  @Test
  void is_linearizable_under_stress() {
    new StressOptions()
        .iterations(10)
        .invocationsPerIteration(1000)
        .threads(3)
        .actorsPerThread(3)
        .check(MemoryStoreLincheckTest.class);
  }

  /** The JDK's classes are not what is tested here, and have many steps of their own. */
  private static ModelCheckingOptions modelChecking() {
    return new ModelCheckingOptions()
        .addGuarantee(forClasses(ConcurrentHashMap.class.getName()).allMethods().treatAsAtomic())
        .addGuarantee(forClasses(CompletableFuture.class.getName()).allMethods().ignore())
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(1)
        .actorsAfter(1);
  }

  private static Actor actor(String operation, Integer... arguments) {
    return Stream.of(MemoryStoreLincheckTest.class.getMethods())
        .filter(method -> method.getName().equals(operation))
        .map(method -> new Actor(method, List.of(arguments)))
        .findFirst()
        .orElseThrow();
  }
}
