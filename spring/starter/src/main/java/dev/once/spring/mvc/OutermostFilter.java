package dev.once.spring.mvc;

import dev.once.http.servlet.OnceFilter;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;

/**
 * Sees whether a filter between it and Once's has answered what a handler threw, as Spring Security
 * does where access is denied: then no error page is shown, and its status is what is recorded.
 */
final class OutermostFilter implements Filter {

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (!(request instanceof HttpServletRequest in)
        || !(response instanceof HttpServletResponse out)
        || HandlerPolicies.isSafe(in)) {
      chain.doFilter(request, response);
      return;
    }
    Watched watched = new Watched(out);
    chain.doFilter(request, watched); // what is thrown from here gets an error page
    if (!watched.hasError) {
      OnceFilter.answeredOutside(request, watched.getStatus());
    }
  }

  /** A response that notes whether it is left to the error page. */
  private static final class Watched extends HttpServletResponseWrapper {
    private volatile boolean hasError;

    Watched(HttpServletResponse response) {
      super(response);
    }

    @Override
    public void sendError(int status) throws IOException {
      hasError = true;
      super.sendError(status);
    }

    @Override
    public void sendError(int status, String message) throws IOException {
      hasError = true;
      super.sendError(status, message);
    }
  }
}
