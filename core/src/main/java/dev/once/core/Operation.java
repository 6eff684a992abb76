package dev.once.core;

/** One thing that a client wants done once: who asks, what exactly, and the policy that applies. */
public record Operation(OperationId id, Fingerprint fingerprint, Policy policy) {

  public static Operation of(Scope scope, Key key, Fingerprint fingerprint, Policy policy) {
    return new Operation(new OperationId(scope, key), fingerprint, policy);
  }
}
