package dev.once.core.store;

import dev.once.core.Answer;
import dev.once.core.Body;

/**
 * What a store can do; read by the engine, the contract tests and the documentation.
 *
 * @param durable records survive a crash of every process, with their tokens; so does what fences
 *     have to be higher than
 * @param shared several processes may use it at once
 * @param wakeUp {@link Store#watch} is implemented
 * @param sameTransaction a record can commit together with the application's own write
 * @param maxAnswerBytes the largest body that {@link Store#complete} takes
 */
public record StoreCapabilities(
    boolean durable, boolean shared, boolean wakeUp, boolean sameTransaction, int maxAnswerBytes) {

  /** Refuses an answer whose body is larger than the store takes. */
  public void requireFit(Answer answer) {
    int size = answer.body() instanceof Body.Full full ? full.bytes().size() : 0;
    if (size > maxAnswerBytes) {
      throw new IllegalArgumentException(
          "answer: " + size + " bytes (expected: at most " + maxAnswerBytes + ")");
    }
  }
}
