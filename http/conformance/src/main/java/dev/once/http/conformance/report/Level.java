package dev.once.http.conformance.report;

/** How strongly a rule binds. */
public enum Level {

  /** The draft says MUST. */
  MUST,

  /** The draft says SHOULD, or recommends it. */
  SHOULD,

  /** The draft is silent, and good servers do it. */
  BEYOND
}
