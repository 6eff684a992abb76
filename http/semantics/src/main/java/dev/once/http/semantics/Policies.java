package dev.once.http.semantics;

/** Which policy a request is under. {@link Routes} says so by path; a framework may know better. */
@FunctionalInterface
public interface Policies {

  HttpPolicy policyFor(RequestHead head);
}
