package dev.once.benchmarks;

import dev.once.core.Bytes;
import dev.once.http.semantics.canonical.CanonicalBody;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.erdtman.jcs.JsonCanonicalizer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The SHA-256 of the canonical form of an order of 2 KB, next to the reference library's. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class CanonicalBenchmark {

  private final byte[] array = order().getBytes(StandardCharsets.UTF_8);
  private final Bytes body = Bytes.copyOf(array);

  @Setup
  public void sameBytes() throws Exception {
    if (!Arrays.equals(ours(), reference())) {
      throw new IllegalStateException("canonical form: another (expected: the reference's)");
    }
  }

  @Benchmark
  public byte[] ours() throws NoSuchAlgorithmException {
    MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
    sha256.update(CanonicalBody.of("application/json", null, body).bytes().asBuffer());
    return sha256.digest();
  }

  @Benchmark
  public byte[] reference() throws NoSuchAlgorithmException, IOException {
    MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
    sha256.update(new JsonCanonicalizer(array).getEncodedUTF8());
    return sha256.digest();
  }

  /** As a client may send it: indented, its names in no order, some text beyond ASCII. */
  private static String order() {
    SplittableRandom random = new SplittableRandom(7);
    StringBuilder json =
        new StringBuilder(
            """
            {
              "paymentMethod": {"type": "card", "token": "tok_8f14e45fceea167a",
                "expiry": {"year": 2029, "month": 7}},
              "customer": {"name": "René Müller", "email": "rene@example.com",
                "address": {"street": "Hauptstraße 5", "city": "Köln", "zip": "50667"}},
              "lines": [
            """);
    while (json.length() < 1800) {
      json.append("    {\"sku\": \"").append(Long.toHexString(random.nextLong()));
      json.append("\", \"quantity\": ").append(random.nextInt(1, 20));
      json.append(", \"unitPrice\": ").append(random.nextInt(10000, 999999) / 100.0);
      json.append(", \"currency\": \"EUR\", \"taxRate\": 0.").append(random.nextInt(5, 25));
      json.append(", \"gift\": ").append(random.nextBoolean());
      json.append(", \"note\": \"say \\\"hello\\\"\"},\n");
    }
    json.append("    {}],\n  \"reference\": \"inv-2026-000123\", \"amount\": 1234.50,\n");
    json.append("  \"note\": null, \"place\": {\"lon\": 6.9602786, \"lat\": 50.937531}\n}\n");
    return json.toString();
  }
}
