package dev.once.spring.mvc;

import dev.once.core.Header;
import dev.once.core.RefusedException;
import dev.once.http.semantics.Problems;
import dev.once.http.semantics.Reply;
import dev.once.http.servlet.OnceFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Answers an {@link RefusedException} that a handler let through with the problem that the filter
 * would have sent. Comes after the application's own exception handlers. A request under a key of
 * its own can be tried again where that is what the problem says.
 */
final class RefusalResolver implements HandlerExceptionResolver {

  private final HandlerPolicies policies;
  private final Problems problems;

  RefusalResolver(HandlerPolicies policies, Problems problems) {
    this.policies = policies;
    this.problems = problems;
  }

  @Override
  public @Nullable ModelAndView resolveException(
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable Object handler,
      Exception failure) {
    if (!(failure instanceof RefusedException refused)) {
      return null;
    }
    if (refused.isNotNow() && !ThrownExceptionObserver.isPart(request)) {
      OnceFilter.notNow(request);
    }
    Reply reply = problems.reply(problems.of(policies.of(request).policy(), refused.refusal()));
    response.setStatus(reply.status());
    for (Header header : reply.headers()) {
      response.setHeader(header.name(), header.value());
    }
    try {
      response.getOutputStream().write(reply.body().toArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new ModelAndView();
  }
}
