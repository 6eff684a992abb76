package dev.once.http.servlet;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.Serial;
import java.util.concurrent.atomic.AtomicInteger;

/** What a test lets a servlet do. */
@FunctionalInterface
interface Handler {

  void handle(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException;

  /** A servlet that does it, and counts. */
  final class Counting extends HttpServlet {
    @Serial private static final long serialVersionUID = 1;

    private final transient Handler handler;
    private final AtomicInteger runs = new AtomicInteger();

    Counting(Handler handler) {
      this.handler = handler;
    }

    int runs() {
      return runs.get();
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
        throws ServletException, IOException {
      switch (request.getDispatcherType()) {
        case REQUEST -> runs.incrementAndGet();
        default -> {}
      }
      handler.handle(request, response);
    }
  }
}
