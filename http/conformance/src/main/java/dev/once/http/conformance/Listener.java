package dev.once.http.conformance;

import dev.once.http.conformance.report.Result;
import dev.once.http.conformance.report.Rule;

/** Hears how a run goes on; called on the thread that runs. */
public interface Listener {

  /** Hears nothing. */
  Listener NONE = new Listener() {};

  /** A rule is about to be checked, {@code number} of {@code total}. */
  default void started(Rule rule, int number, int total) {}

  /** A rule was checked. */
  default void finished(Result result) {}
}
