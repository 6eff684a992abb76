package dev.once.core;

import java.util.Objects;

/** One thing that a client wants done once: who asks, what exactly, and the policy that applies. */
public record Operation(OperationId id, Fingerprint fingerprint, Policy policy) {

  public Operation {
    Objects.requireNonNull(id, "id: null (expected: an OperationId)");
    Objects.requireNonNull(fingerprint, "fingerprint: null (expected: a Fingerprint)");
    Objects.requireNonNull(policy, "policy: null (expected: a Policy)");
  }

  public static Operation of(Scope scope, Key key, Fingerprint fingerprint, Policy policy) {
    return new Operation(new OperationId(scope, key), fingerprint, policy);
  }
}
