package dev.once.spring.mvc;

import dev.once.http.semantics.PolicyPage;
import dev.once.spring.OncePolicies;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.HttpRequestMethodNotSupportedException;

/** Publishes the rules for keys, which the types of problems link to. */
record PolicyPageHandler(OncePolicies policies) implements HttpRequestHandler {

  private static final List<String> METHODS = List.of("GET", "HEAD");

  @Override
  public void handleRequest(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    if (!METHODS.contains(request.getMethod())) {
      throw new HttpRequestMethodNotSupportedException(request.getMethod(), METHODS);
    }
    response.setContentType("text/html;charset=UTF-8");
    response.getWriter().write(PolicyPage.render(policies.routes()));
  }
}
