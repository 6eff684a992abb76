package dev.once.spring.mvc;

import dev.once.core.Execution;
import dev.once.http.servlet.OnceFilter;
import dev.once.spring.CurrentExecution;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.util.function.SingletonSupplier;

/**
 * The filter with the engine, or the one with transactions, as the handler asks; and while the
 * handler runs, its execution is the thread's.
 *
 * <p>The server asks for it before most beans are there. The filter with the engine is made after
 * all of them, before the first request.
 */
final class OnceServletFilter implements Filter, SmartInitializingSingleton {

  private final SingletonSupplier<OnceFilter> leased;
  private final SingletonSupplier<OnceFilter> inTransaction;
  private final HandlerPolicies policies;

  OnceServletFilter(
      Supplier<OnceFilter> leased, Supplier<OnceFilter> inTransaction, HandlerPolicies policies) {
    this.leased = SingletonSupplier.of(leased);
    this.inTransaction = SingletonSupplier.of(inTransaction);
    this.policies = policies;
  }

  @Override
  public void afterSingletonsInstantiated() {
    leased.get();
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    boolean shared =
        request instanceof HttpServletRequest http && policies.of(http).sameTransaction();
    Objects.requireNonNull((shared ? inTransaction : leased).get())
        .doFilter(
            ParsedFormRequest.wrapIfFormWasRead(request),
            response,
            (in, out) -> run(in, out, chain));
  }

  private static void run(ServletRequest in, ServletResponse out, FilterChain chain)
      throws IOException, ServletException {
    Optional<Execution> execution = OnceFilter.execution(in);
    if (execution.isEmpty()) {
      chain.doFilter(in instanceof ParsedFormRequest form ? form.getRequest() : in, out);
      return;
    }
    try (CurrentExecution.Scope scope = CurrentExecution.enter(execution.get())) {
      chain.doFilter(in, out);
    }
  }
}
