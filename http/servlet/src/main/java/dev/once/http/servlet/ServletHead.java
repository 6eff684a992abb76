package dev.once.http.servlet;

import dev.once.http.semantics.RequestHead;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A servlet request, as the rules see it. */
record ServletHead(HttpServletRequest request) implements RequestHead {

  @Override
  public String method() {
    return request.getMethod();
  }

  @Override
  public String path() {
    return request.getRequestURI();
  }

  @Override
  public @Nullable String query() {
    return request.getQueryString();
  }

  @Override
  public List<String> headers(String name) {
    Enumeration<String> lines = request.getHeaders(name);
    return lines == null || !lines.hasMoreElements() ? List.of() : Collections.list(lines);
  }

  @Override
  public @Nullable String header(String name) {
    return request.getHeader(name);
  }

  /** HTTP/2 has it in another place, and not every container shows that as a header. */
  @Override
  public @Nullable String host() {
    String host = request.getHeader("Host");
    return host == null ? request.getServerName() : host;
  }

  /**
   * HTTP/2 says so in a place that a servlet does not see: there may be one, unless it has none.
   */
  @Override
  public boolean hasBody() {
    String length = request.getHeader("Content-Length");
    if (length != null) {
      return !length.strip().equals("0");
    }
    return request.getHeader("Transfer-Encoding") != null
        || !request.getProtocol().startsWith("HTTP/1");
  }

  @Override
  public @Nullable String client() {
    return request.getRemoteAddr();
  }
}
