package dev.once.simulation;

/**
 * An invariant that did not hold.
 *
 * @param line how many lines the history had when it was seen
 */
public record Violation(Invariant invariant, String detail, int line) {}
