package dev.once.spring.method;

import dev.once.core.Begun;
import dev.once.spring.transaction.OnceTransactions;
import dev.once.spring.transaction.OpenTransaction;
import org.jspecify.annotations.Nullable;

/**
 * Calls of bean methods in same-transaction mode: key, result and what the method writes commit
 * together.
 *
 * <p>Only loaded where Spring's transactions are there.
 */
record TransactionCalls(OnceTransactions transactions) {

  @Nullable Object call(MethodCall call) throws Throwable {
    IdempotentMethod method = call.method();
    OpenTransaction open = transactions.begin(call.operation(), method.method(), method.type());
    try {
      if (open.begun() instanceof Begun.Replay replay) {
        open.endUnused();
        return call.replay(replay.answer());
      }
      if (open.begun() instanceof Begun.Refuse refuse) {
        throw call.refused(refuse.refusal());
      }
      Object given = call.proceed(open);
      open.commit(call.answer(given));
      return given;
    } catch (Throwable e) {
      open.rollBack(e);
      throw e;
    }
  }
}
