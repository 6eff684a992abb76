package dev.once.spring.mvc;

import dev.once.core.Begun;
import dev.once.core.Operation;
import dev.once.http.servlet.Runner;
import dev.once.spring.transaction.OnceTransactions;
import dev.once.spring.transaction.OpenTransaction;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.web.method.HandlerMethod;

/**
 * Requests in same-transaction mode: the transaction is begun before the handler, and committed
 * before its answer is sent.
 */
record TransactionRunner(OnceTransactions transactions, HandlerPolicies policies)
    implements Runner {

  @Override
  public Begun begin(HttpServletRequest request, Operation operation) {
    HandlerMethod handler = policies.of(request).handler();
    TransactionDefinition wanted =
        handler == null
            ? TransactionDefinition.withDefaults()
            : transactions.definition(handler.getMethod(), handler.getBeanType());
    OpenTransaction open = transactions.begin(operation, wanted);
    if (!(open.begun() instanceof Begun.Proceed)) {
      open.endUnused();
    }
    return open.begun();
  }
}
