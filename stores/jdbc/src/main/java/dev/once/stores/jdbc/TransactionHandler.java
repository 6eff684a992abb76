package dev.once.stores.jdbc;

import dev.once.core.Answer;
import dev.once.core.NotRunException;

/** The code that does the operation, on the connection whose transaction the key is claimed in. */
@FunctionalInterface
public interface TransactionHandler {

  /**
   * Does it, and answers. Neither commits nor rolls back.
   *
   * @throws NotRunException to say that nothing was done: the key is free again, also if the
   *     transaction is committed
   */
  Answer handle(TransactionExecution execution) throws Exception;
}
