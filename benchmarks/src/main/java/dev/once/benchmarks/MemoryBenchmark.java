package dev.once.benchmarks;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.OperationId;
import dev.once.core.Result;
import dev.once.core.store.MemoryStore;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Collections;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The engine on the in-memory store, next to a bare map that puts and gets the same objects. Each
 * invocation is a batch of keys in random order, the same for both.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
    value = 2,
    jvmArgsAppend = {"-Xms4g", "-Xmx4g", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
public class MemoryBenchmark {

  private static final int KEYS = 100_000;

  private final Operation[] operations = new Operation[KEYS];
  private Once once;
  private MemoryStore store;
  private ConcurrentHashMap<OperationId, Answer> finished;

  @Setup(Level.Trial)
  public void keys() throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < KEYS; i++) {
      operations[i] = Sample.operation(Sample.id(random));
    }
    open();
    finished = new ConcurrentHashMap<>();
    for (Operation operation : operations) {
      once.run(operation, execution -> Sample.ANSWER);
      finished.put(operation.id(), Sample.ANSWER);
    }
    Collections.shuffle(Arrays.asList(operations), new Random(1));
  }

  private void open() {
    store = new MemoryStore(InstantSource.system(), 2L * KEYS, Long.MAX_VALUE);
    once = Once.on(store);
  }

  @TearDown
  public void close() {
    once.close();
    store.close();
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public void replay(Blackhole sink) {
    for (Operation operation : operations) {
      sink.consume(((Begun.Replay) once.begin(operation).toCompletableFuture().join()).answer());
    }
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public void mapGet(Blackhole sink) {
    for (Operation operation : operations) {
      sink.consume(finished.get(operation.id()));
    }
  }

  /** With a look at the clock, as whoever lets keys expire must have: loads no longer overlap. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public void mapGetAndClock(Blackhole sink) {
    for (Operation operation : operations) {
      sink.consume(System.currentTimeMillis());
      sink.consume(finished.get(operation.id()));
    }
  }

  /** All keys for the first time: an empty store, and a handler that does nothing. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public void first(Blackhole sink) throws Exception {
    close();
    open();
    for (Operation operation : operations) {
      Result result = once.run(operation, execution -> Sample.ANSWER);
      sink.consume(result);
    }
  }

  /** The same two steps on a bare map: taken, and answered. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public ConcurrentHashMap<OperationId, Object> mapPutTwice(Blackhole sink) {
    ConcurrentHashMap<OperationId, Object> fresh = new ConcurrentHashMap<>();
    for (Operation operation : operations) {
      sink.consume(fresh.putIfAbsent(operation.id(), operation));
      sink.consume(fresh.put(operation.id(), Sample.ANSWER));
    }
    return fresh;
  }
}
