package dev.once.benchmarks;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Header;
import dev.once.core.Key;
import dev.once.core.Operation;
import dev.once.core.OperationId;
import dev.once.core.Policy;
import dev.once.core.Scope;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

/** What the benchmarks work on: payments of a shop, with answers of 2 KB of JSON. */
final class Sample {

  static final Scope SCOPE = new Scope("acme", "alice", "");
  static final Fingerprint FINGERPRINT = Fingerprint.of("POST", "/payments", "{\"amount\":10}");
  static final Answer ANSWER = answer();

  private Sample() {}

  static OperationId id(SplittableRandom random) {
    return new OperationId(
        SCOPE, Key.of(new UUID(random.nextLong(), random.nextLong()).toString()));
  }

  static Operation operation(OperationId id) {
    return new Operation(id, FINGERPRINT, Policy.DEFAULT);
  }

  /** An invoice: numbers, names and identifiers that do not repeat, between keys that do. */
  private static Answer answer() {
    SplittableRandom random = new SplittableRandom(7);
    StringBuilder json = new StringBuilder("{\"id\":\"pay_8f14e45fceea167a\",\"lines\":[");
    while (json.length() < 1950) {
      json.append("{\"sku\":\"").append(Long.toHexString(random.nextLong()));
      json.append("\",\"quantity\":").append(random.nextInt(1, 20));
      json.append(",\"unitPrice\":").append(random.nextInt(100, 99999));
      json.append(",\"currency\":\"EUR\",\"taxRate\":0.").append(random.nextInt(5, 25));
      json.append(",\"shippedAt\":\"2026-11-").append(random.nextInt(10, 29)).append("\"},");
    }
    json.append("{}],\"status\":\"paid\"}");
    return Answer.success(201, Body.of(json.toString()))
        .withHeaders(
            List.of(
                new Header("Content-Type", "application/json"),
                new Header("Location", "/payments/pay_8f14e45fceea167a")));
  }
}
