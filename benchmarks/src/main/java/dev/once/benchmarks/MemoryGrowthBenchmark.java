package dev.once.benchmarks;

import dev.once.core.OperationId;
import dev.once.core.Policy;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.MemoryStore;
import java.time.InstantSource;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What a claim costs among few keys, and among many. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms12g", "-Xmx12g", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
public class MemoryGrowthBenchmark {

  @Param({"10000", "10000000"})
  private int stored;

  private MemoryStore store;
  private ConcurrentHashMap<OperationId, Object> map;
  private SplittableRandom random;

  @Setup
  public void fill() {
    random = new SplittableRandom(1);
    store = new MemoryStore(InstantSource.system(), Long.MAX_VALUE, Long.MAX_VALUE);
    map = new ConcurrentHashMap<>();
    for (int i = 0; i < stored; i++) {
      OperationId id = Sample.id(random);
      Claim.Granted granted = (Claim.Granted) claim(id);
      store.complete(granted.lease(), Sample.ANSWER, Policy.DEFAULT.retention());
      map.put(id, Sample.ANSWER);
    }
  }

  private Claim claim(OperationId id) {
    ClaimRequest request =
        new ClaimRequest(
            id,
            Sample.FINGERPRINT,
            random.nextLong(),
            Policy.DEFAULT.lease(),
            Policy.DEFAULT.retention(),
            false);
    return store.claim(request).toCompletableFuture().join();
  }

  /** A key that is new; released again, so that the store stays as it is. */
  @Benchmark
  public Object claimAndRelease() {
    Claim.Granted granted = (Claim.Granted) claim(Sample.id(random));
    return store.release(granted.lease());
  }

  /** The same on a bare map, whose growth is the least that a store on it can have. */
  @Benchmark
  public Object mapPutAndRemove() {
    OperationId id = Sample.id(random);
    map.putIfAbsent(id, Sample.ANSWER);
    return map.remove(id);
  }
}
