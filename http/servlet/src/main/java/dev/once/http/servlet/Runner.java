package dev.once.http.servlet;

import dev.once.core.Begun;
import dev.once.core.Operation;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Where the operations of requests are begun. By default that is the engine; an integration may put
 * something else in its place, such as a transaction that the handler takes part in, whose
 * execution is {@link dev.once.core.spi.ThreadBound}. What is read, captured, sent and replayed
 * stays the filter's business.
 *
 * <p>Unless the handler went asynchronous, the execution is ended on the request's thread. A
 * handler that threw ends with an answer, too: one whose outcome is a failure. If the application
 * has error pages, that comes after the page was shown.
 */
@FunctionalInterface
public interface Runner {

  /**
   * Says what to do with a request; may block. What it throws is answered as a store that fails.
   */
  Begun begin(HttpServletRequest request, Operation operation);
}
