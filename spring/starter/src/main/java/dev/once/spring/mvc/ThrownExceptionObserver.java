package dev.once.spring.mvc;

import dev.once.http.servlet.OnceFilter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Sees what a handler threw before the application's exception handlers answer that, and answers
 * nothing. To the filter a 500 is a 500; but after an {@code Error} nobody knows what was done, and
 * a {@code NotRunException} says that nothing was.
 */
final class ThrownExceptionObserver implements HandlerExceptionResolver, Ordered {

  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }

  @Override
  public @Nullable ModelAndView resolveException(
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable Object handler,
      Exception failure) {
    if (!isPart(request)) {
      OnceFilter.thrown(
          request, failure instanceof AsyncRequestNotUsableException ? cutShort(failure) : failure);
    }
    return null;
  }

  /** The client has left, and Spring lets the handler write no more: nobody knows what it did. */
  private static Throwable cutShort(Exception failure) {
    return new InterruptedException("the handler was cut short").initCause(failure);
  }

  /** What is included is not the handler: whoever includes it goes on, and answers. */
  static boolean isPart(HttpServletRequest request) {
    return request.getDispatcherType() == DispatcherType.INCLUDE
        || request.getAttribute(RequestDispatcher.INCLUDE_REQUEST_URI) != null;
  }
}
