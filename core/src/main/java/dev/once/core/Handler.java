package dev.once.core;

import org.jspecify.annotations.Nullable;

/**
 * The code that does the operation.
 *
 * @param <T> what it gives: an {@link Answer} for {@link Once#run}, a value of your own type for
 *     {@link Once#call}
 */
@FunctionalInterface
public interface Handler<T extends @Nullable Object> {

  /**
   * Does it, and answers.
   *
   * @throws NotRunException to say that nothing was done: the key is free again
   * @throws InterruptedException to say that it broke off: the crash policy decides, as for an
   *     {@link Error}
   * @throws Exception to say that it failed: recorded or not, as the policy says
   */
  T handle(Execution execution) throws Exception;
}
