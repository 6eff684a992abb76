package dev.once.http.semantics;

import dev.once.core.Scope;
import org.jspecify.annotations.Nullable;

/** Whose key it is, or why that cannot be told. */
public sealed interface Caller {

  /** Somebody whose keys are apart from those of others. */
  record Known(Scope scope) implements Caller {}

  /** Somebody who cannot be told from others, and is refused. */
  record Unknown(ProblemType type, String detail) implements Caller {}

  /** Whoever has this scope; if it is null, the tenant cannot be told. */
  static Caller of(@Nullable Scope scope) {
    return of(scope, "It cannot be told which tenant this request belongs to.");
  }

  /**
   * Whoever has this scope; if it is null, the tenant cannot be told.
   *
   * @param tenantMissing what to tell the client then
   */
  static Caller of(@Nullable Scope scope, String tenantMissing) {
    return scope == null
        ? new Unknown(ProblemType.TENANT_MISSING, tenantMissing)
        : new Known(scope);
  }
}
