package dev.once.http.semantics;

import org.jspecify.annotations.Nullable;

/** Which policy a request is under. {@link Routes} says so by path; a framework may know better. */
@FunctionalInterface
public interface Policies {

  HttpPolicy policyFor(RequestHead head);

  /** Why a request could be taken for one under another policy; null if it could not. */
  default @Nullable String ambiguity(RequestHead head) {
    return null;
  }
}
