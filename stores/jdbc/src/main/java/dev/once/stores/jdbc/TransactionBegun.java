package dev.once.stores.jdbc;

import dev.once.core.Answer;
import dev.once.core.Refusal;

/** What {@link JdbcTransactions#begin} says to do. */
public sealed interface TransactionBegun {

  /** Run the handler on the same connection, and complete the execution before the commit. */
  record Proceed(TransactionExecution execution) implements TransactionBegun {}

  /** Give this recorded answer; do not run. */
  record Replay(Answer answer) implements TransactionBegun {}

  /** Give this refusal; do not run. */
  record Refuse(Refusal refusal) implements TransactionBegun {}
}
