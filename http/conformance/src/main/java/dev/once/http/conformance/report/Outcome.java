package dev.once.http.conformance.report;

/** How a rule's check ended. */
public enum Outcome {
  PASSED,
  FAILED,

  /** It was not tried; the detail names the option that it needs. */
  SKIPPED,

  /**
   * It was tried, and what the server did shows neither that the rule holds nor that it is broken.
   */
  NOT_OBSERVED
}
