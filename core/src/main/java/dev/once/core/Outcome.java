package dev.once.core;

/** How a handler ended, in terms that a policy can decide by. */
public enum Outcome {
  /** The operation took effect. */
  SUCCESS,
  /** The handler refused what the client asked for (HTTP 4xx). */
  REJECTION,
  /** The handler failed (HTTP 5xx, an exception). */
  FAILURE
}
