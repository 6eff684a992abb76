package dev.once.faults;

/** A rule that does not hold for a key, and why. */
record Violation(Rule rule, String key, String detail) {}
