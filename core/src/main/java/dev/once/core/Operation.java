package dev.once.core;

import java.util.Objects;
import java.util.stream.Stream;

/**
 * One thing that a client wants done once: who asks, what exactly, the policy that applies, and how
 * it came in.
 */
public record Operation(OperationId id, Fingerprint fingerprint, Policy policy, Origin origin) {

  public Operation {
    Objects.requireNonNull(id, "id: null (expected: an OperationId)");
    Objects.requireNonNull(fingerprint, "fingerprint: null (expected: a Fingerprint)");
    Objects.requireNonNull(policy, "policy: null (expected: a Policy)");
    Objects.requireNonNull(origin, "origin: null (expected: an Origin)");
  }

  /** One that a plain call asks for. */
  public Operation(OperationId id, Fingerprint fingerprint, Policy policy) {
    this(id, fingerprint, policy, Origin.CALL);
  }

  /** One that a plain call asks for. */
  public static Operation of(Scope scope, Key key, Fingerprint fingerprint, Policy policy) {
    return new Operation(new OperationId(scope, key), fingerprint, policy);
  }

  /** The same, come in by another way. */
  public Operation from(Origin origin) {
    return new Operation(id, fingerprint, policy, origin);
  }

  /**
   * An operation under {@link Policy#DEFAULT}; {@link #under} says another.
   *
   * @param scope whose key it is; {@link Scope#GLOBAL} if all callers share one namespace
   * @param asked what was asked, in parts: {@code "POST", "/payments", body}. The same key with
   *     other parts is refused
   */
  public static Operation of(Scope scope, String key, String asked, String... more) {
    String[] parts = Stream.concat(Stream.of(asked), Stream.of(more)).toArray(String[]::new);
    return of(scope, Key.of(key), Fingerprint.of(parts), Policy.DEFAULT);
  }

  /** The same operation under another policy. */
  public Operation under(Policy policy) {
    return new Operation(id, fingerprint, policy, origin);
  }
}
