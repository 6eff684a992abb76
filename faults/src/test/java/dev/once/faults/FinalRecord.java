package dev.once.faults;

/**
 * What the store had of an operation after a run.
 *
 * @param answer null if it had none
 */
record FinalRecord(long fence, String answer) {}
