package dev.once.core;

/** The code that does the operation. */
@FunctionalInterface
public interface Handler {

  /**
   * Does it, and answers.
   *
   * @throws NotRunException to say that nothing was done: the key is free again
   * @throws InterruptedException to say that it broke off: the crash policy decides, as for an
   *     {@link Error}
   * @throws Exception to say that it failed: recorded or not, as the policy says
   */
  Answer handle(Execution execution) throws Exception;
}
