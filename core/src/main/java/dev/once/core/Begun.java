package dev.once.core;

/** What {@link Once#begin} says to do. */
public sealed interface Begun {

  /** Run the handler, and end the execution. */
  record Proceed(Execution execution) implements Begun {}

  /** Give this recorded answer; do not run. */
  record Replay(Answer answer) implements Begun {}

  /** Give this refusal; do not run. */
  record Refuse(Refusal refusal) implements Begun {}
}
