package dev.once.benchmarks;

import dev.once.core.Answer;
import dev.once.core.Bytes;
import dev.once.core.Fingerprint;
import dev.once.core.store.spi.AnswerCodec;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Answers to bytes and back, and the fingerprint of a request of 2 KB. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class CodecBenchmark {

  private final byte[] encoded = AnswerCodec.encode(Sample.ANSWER);
  private final Bytes method = Bytes.utf8("POST");
  private final Bytes path = Bytes.utf8("/payments");
  private final Bytes body = Bytes.wrap(new byte[2048]);

  @Benchmark
  public byte[] encode() {
    return AnswerCodec.encode(Sample.ANSWER);
  }

  @Benchmark
  public Answer decode() {
    return AnswerCodec.decode(encoded);
  }

  @Benchmark
  public Fingerprint fingerprint() {
    return Fingerprint.of(method, path, body);
  }
}
