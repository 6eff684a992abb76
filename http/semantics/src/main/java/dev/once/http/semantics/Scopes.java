package dev.once.http.semantics;

import dev.once.core.Scope;
import org.jspecify.annotations.Nullable;

/** Whose key it is. {@link ScopeRule} reads it from headers; a framework may know better. */
@FunctionalInterface
public interface Scopes {

  /** The scope of a request; null if its tenant cannot be told. */
  @Nullable Scope of(RequestHead head);

  /** Why it cannot be told who calls; null if it can, or need not be. */
  default @Nullable String callerUnknown(RequestHead head) {
    return null;
  }

  /** What to tell a client whose tenant cannot be told. */
  default String tenantMissing() {
    return "It cannot be told which tenant this request belongs to.";
  }
}
