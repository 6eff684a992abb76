package dev.once.http.servlet;

import dev.once.core.Bytes;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UnsupportedEncodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request whose body was read already, and can be read again; and which goes asynchronous under
 * watch.
 */
final class BufferedRequest extends HttpServletRequestWrapper {

  private final ServletExchange exchange;
  private final @Nullable Bytes bytes;
  private @Nullable BufferedBodyStream stream;
  private @Nullable String encoding;
  private @Nullable BufferedReader reader;
  private @Nullable Map<String, String[]> parameters;
  private boolean detached;

  BufferedRequest(HttpServletRequest request, RequestBody body, ServletExchange exchange) {
    super(request);
    this.exchange = exchange;
    this.bytes = body.bytes();
  }

  /** The one that a request is, or has inside; null if it has none. */
  static @Nullable BufferedRequest in(ServletRequest request) {
    ServletRequest at = request;
    while (at instanceof ServletRequestWrapper wrapper) {
      if (at instanceof BufferedRequest kept) {
        return kept;
      }
      at = wrapper.getRequest();
    }
    return null;
  }

  ServletExchange exchange() {
    return exchange;
  }

  /**
   * The container is about to take its request back, and the handler may go on. What filters
   * outside have put around it stays.
   */
  void detach() {
    if (detached) {
      return;
    }
    ServletRequestWrapper last = this;
    while (last.getRequest() instanceof ServletRequestWrapper next) {
      last = next;
    }
    if (last.getRequest() instanceof HttpServletRequest own) {
      last.setRequest(DetachedRequest.of(own));
      detached = true;
    }
  }

  /** The container's own, inside of whatever is around it. */
  static ServletRequest ofContainer(ServletRequest request) {
    ServletRequest at = request;
    while (at instanceof ServletRequestWrapper wrapper) {
      at = wrapper.getRequest();
    }
    return at;
  }

  // The body.

  /** The container has given its stream, and some ignore this then. */
  @Override
  public void setCharacterEncoding(String charset) throws UnsupportedEncodingException {
    super.setCharacterEncoding(charset);
    if (bytes != null && reader == null && parameters == null) {
      if (!Charset.isSupported(charset)) {
        throw new UnsupportedEncodingException(charset);
      }
      encoding = charset;
    }
  }

  /** As Servlet 6.1 has it. */
  public void setCharacterEncoding(Charset charset) {
    try {
      setCharacterEncoding(charset.name());
    } catch (UnsupportedEncodingException e) {
      throw new IllegalArgumentException("charset: " + charset + " (expected: a known one)", e);
    }
  }

  @Override
  public @Nullable String getCharacterEncoding() {
    return encoding == null ? super.getCharacterEncoding() : encoding;
  }

  @Override
  public ServletInputStream getInputStream() throws IOException {
    if (bytes == null) {
      return super.getInputStream();
    }
    if (reader != null) {
      throw new IllegalStateException("getInputStream: after getReader (expected: one of them)");
    }
    if (stream == null) {
      stream = new BufferedBodyStream(bytes.asBuffer(), exchange::runOnContainerThread);
    }
    return stream;
  }

  @Override
  public BufferedReader getReader() throws IOException {
    if (bytes == null) {
      return super.getReader();
    }
    if (reader == null) {
      if (stream != null) {
        throw new IllegalStateException("getReader: after getInputStream (expected: one of them)");
      }
      String charset = getCharacterEncoding();
      reader =
          new BufferedReader(
              new InputStreamReader(
                  new BufferedBodyStream(bytes.asBuffer(), exchange::runOnContainerThread),
                  charset == null ? StandardCharsets.ISO_8859_1.name() : charset));
    }
    return reader;
  }

  // The parameters: those of the query first, and then those of a form.

  private Map<String, String[]> parameters() {
    if (parameters == null) {
      Map<String, String[]> ofQuery = super.getParameterMap();
      try {
        parameters =
            bytes != null && FormBody.isForm(this)
                ? FormBody.merge(ofQuery, bytes, getCharacterEncoding())
                : ofQuery;
      } catch (UnsupportedEncodingException e) {
        throw new IllegalStateException(
            "charset: " + e.getMessage() + " (expected: a known one)", e);
      }
    }
    return parameters;
  }

  @Override
  public @Nullable String getParameter(String name) {
    String[] values = parameters().get(name);
    return values == null || values.length == 0 ? null : values[0];
  }

  @Override
  public Map<String, String[]> getParameterMap() {
    return Collections.unmodifiableMap(parameters());
  }

  @Override
  public Enumeration<String> getParameterNames() {
    return Collections.enumeration(parameters().keySet());
  }

  @Override
  public String @Nullable [] getParameterValues(String name) {
    String[] values = parameters().get(name);
    return values == null ? null : values.clone();
  }

  // Forwards.

  /** What was written before a forward is dropped; Jetty does so without a word to a wrapper. */
  @Override
  public @Nullable RequestDispatcher getRequestDispatcher(String path) {
    RequestDispatcher real = super.getRequestDispatcher(path);
    return real == null ? null : new Forwarding(real, exchange);
  }

  private record Forwarding(RequestDispatcher real, ServletExchange exchange)
      implements RequestDispatcher {
    @Override
    public void forward(ServletRequest request, ServletResponse response)
        throws ServletException, IOException {
      HeldResponse held = exchange.held();
      if (!held.isCommitted()) {
        held.resetBuffer();
      }
      real.forward(request, response);
    }

    @Override
    public void include(ServletRequest request, ServletResponse response)
        throws ServletException, IOException {
      real.include(request, response);
    }
  }

  // Asynchronous.

  @Override
  public boolean isAsyncSupported() {
    return exchange.allowsAsync() && super.isAsyncSupported();
  }

  @Override
  public AsyncContext startAsync() {
    return startAsync(this, exchange.chainResponse());
  }

  @Override
  public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
    return exchange.startAsync(() -> super.startAsync(request, response), request, response);
  }

  @Override
  public AsyncContext getAsyncContext() {
    AsyncContext watched = exchange.async();
    if (watched != null && exchange.held().isDetached()) {
      return watched; // the container's is over, and the handler goes on
    }
    AsyncContext real = super.getAsyncContext(); // throws if there is none
    return watched == null ? real : watched;
  }
}
