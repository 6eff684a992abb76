package dev.once.spring.mvc;

import dev.once.core.Execution;
import dev.once.http.servlet.OnceFilter;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/**
 * Gives a handler method its {@link Execution}; as an {@code Optional} where requests without a key
 * come too.
 */
final class ExecutionArgument implements HandlerMethodArgumentResolver {

  @Override
  public boolean supportsParameter(MethodParameter parameter) {
    return parameter.nestedIfOptional().getNestedParameterType() == Execution.class;
  }

  @Override
  public @Nullable Object resolveArgument(
      MethodParameter parameter,
      @Nullable ModelAndViewContainer container,
      NativeWebRequest request,
      @Nullable WebDataBinderFactory binders) {
    HttpServletRequest in =
        Objects.requireNonNull(request.getNativeRequest(HttpServletRequest.class));
    Optional<Execution> found = OnceFilter.execution(in);
    if (parameter.getParameterType() == Optional.class) {
      return found;
    }
    return found.orElseThrow(
        () ->
            new IllegalStateException(
                "%s: no key (expected: a request under a key); take an Optional"
                    .formatted(parameter)));
  }
}
