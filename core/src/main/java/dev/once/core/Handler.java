package dev.once.core;

/** The code that does the operation. */
@FunctionalInterface
public interface Handler {

  /**
   * Does it, and answers.
   *
   * @throws NotRunException to say that nothing was done: the key is free again
   */
  Answer handle(Execution execution) throws Exception;
}
