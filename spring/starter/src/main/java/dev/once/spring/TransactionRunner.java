package dev.once.spring;

import dev.once.core.Answer;
import dev.once.core.Operation;
import dev.once.core.Outcome;
import dev.once.core.Refusal;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import dev.once.http.servlet.Runner;
import dev.once.stores.jdbc.TransactionBegun;
import jakarta.servlet.http.HttpServletRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.web.method.HandlerMethod;

/**
 * Requests in same-transaction mode: the transaction is begun before the handler, and committed
 * before its answer is sent.
 *
 * <ul>
 *   <li>An answer below 400 commits. If it cannot, the client never gets that answer: it is the
 *       application's failure if the application broke the transaction (a constraint that is looked
 *       at by the commit, say), or else 503, and a retry may do better.
 *   <li>A 4xx commits too, and is recorded as the policy says; unless the application has broken
 *       the transaction: then it is sent, and nothing is recorded.
 *   <li>A 5xx rolls back: it is sent, nothing is recorded, and a retry runs.
 * </ul>
 */
final class TransactionRunner implements Runner {

  private static final Logger log = LoggerFactory.getLogger(TransactionRunner.class);

  private final OnceTransactions transactions;
  private final HandlerPolicies policies;

  TransactionRunner(OnceTransactions transactions, HandlerPolicies policies) {
    this.transactions = transactions;
    this.policies = policies;
  }

  @Override
  public Start begin(HttpServletRequest request, Operation operation) {
    HandlerMethod handler = policies.of(request).handler();
    TransactionDefinition wanted =
        handler == null
            ? TransactionDefinition.withDefaults()
            : transactions.definition(handler.getMethod(), handler.getBeanType());
    OnceTransactions.Open open = transactions.begin(operation, wanted);
    if (open.begun() instanceof TransactionBegun.Proceed) {
      open.execution().ifPresent(it -> request.setAttribute(OnceExecution.class.getName(), it));
      return new Start.Proceed(new TransactionRun(open));
    }
    open.rollBack(null); // nothing was written
    return open.begun() instanceof TransactionBegun.Replay replay
        ? new Start.Replay(replay.answer())
        : new Start.Refuse(((TransactionBegun.Refuse) open.begun()).refusal());
  }

  private record TransactionRun(OnceTransactions.Open open) implements Run {

    @Override
    public boolean allowsAsync() {
      return false;
    }

    /** The thread may serve others before it is known whether an error page comes. */
    @Override
    public boolean leave(int status) {
      if (status >= 500) {
        open.rollBack(null);
        return false;
      }
      open.suspend();
      return true;
    }

    @Override
    public CompletionStage<Result> complete(Answer answer) {
      boolean rolledBack =
          answer.outcome() == Outcome.FAILURE
              || (answer.outcome() == Outcome.REJECTION && open.isRollbackOnly());
      try {
        if (rolledBack) {
          open.rollBack(null);
          return CompletableFuture.completedStage(new Result.Executed(answer, false));
        }
        Result result = open.record(answer);
        open.commit();
        return CompletableFuture.completedStage(result);
      } catch (RuntimeException e) {
        open.rollBack(e);
        if (BrokenTransaction.isApplications(e)) {
          return answer.outcome() == Outcome.REJECTION
              ? CompletableFuture.completedStage(new Result.Executed(answer, false))
              : CompletableFuture.failedStage(new FailedException(e));
        }
        log.error("a transaction could not be committed", e);
        return CompletableFuture.completedStage(new Result.Refused(notCommitted()));
      }
    }

    private static Refusal notCommitted() {
      return new Refusal(
          Reason.STORE_DOWN,
          "The transaction could not be committed. Send the same request with the same key again:"
              + " it runs, or gets the answer if it was committed after all.",
          null);
    }

    @Override
    public CompletionStage<?> release() {
      open.rollBack(null);
      return CompletableFuture.completedStage(null);
    }

    @Override
    public void abandon() {
      open.rollBack(null);
    }
  }
}
