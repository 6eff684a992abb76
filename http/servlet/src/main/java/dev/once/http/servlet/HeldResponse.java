package dev.once.http.servlet;

import dev.once.core.Body;
import dev.once.core.Header;
import dev.once.http.semantics.Reply;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A response whose status and body are held back until the answer is recorded.
 *
 * <p>Its {@linkplain HeldFields header fields} go straight to the container. So this must never let
 * the container's own response be committed: to the handler it looks committed, and that is done
 * later.
 *
 * <p>The handler may be on another thread than whoever ends the request. What touches the
 * container's response, or what is recorded, is synchronized; what may block, for a client that
 * does not read, is not.
 */
final class HeldResponse extends HttpServletResponseWrapper {

  /** Two of them would begin the name of a host. */
  private static final Pattern LEADING_SLASHES = Pattern.compile("^/+");

  private static final Pattern HAS_SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:.*");

  /** The arguments of {@code sendError}. */
  record SentError(int status, @Nullable String message) {}

  private final HttpServletRequest request;
  private final HttpServletResponse real;

  /**
   * The response that this one wraps. Tomcat puts another one in its place while it includes
   * something.
   */
  private final ServletResponse wrapped;

  private int bufferSize;
  private final HeldFields fields;
  private final HeldBody body;
  private final ListenerAnswer listener = new ListenerAnswer();
  private final Executor async;
  private int status;

  /** The status that the container's response had last: if it differs, the container changed it. */
  private int lastContainerStatus;

  private volatile boolean committed;
  private volatile boolean aborted;

  /** No more bytes are accepted. */
  private volatile boolean closed;

  private @Nullable SentError sentError;
  private @Nullable HeldStream stream;
  private @Nullable HeldWriter text;
  private @Nullable PrintWriter writer;

  /** The path of the request, kept for when the container's objects are not touched any more. */
  private String requestPath = "/";

  /**
   * Holds a response back.
   *
   * @param earlier what was held of the same response before an error page; null if nothing was
   */
  HeldResponse(
      HttpServletRequest request,
      HttpServletResponse real,
      int maxStoredBody,
      @Nullable HeldResponse earlier,
      Executor async) {
    super(HiddenFromTomcat.of(real));
    this.wrapped = super.getResponse();
    this.request = request;
    this.real = real;
    this.async = async;
    this.fields = new HeldFields(real, earlier == null ? null : earlier.fields);
    this.status = real.getStatus();
    this.lastContainerStatus = status;
    this.bufferSize = real.getBufferSize();
    this.body = new HeldBody(maxStoredBody, this::openBody);
  }

  /** The container's own response; some show an error page with the one that they were given. */
  static HttpServletResponse unwrap(HttpServletResponse response) {
    ServletResponse at = response;
    while (at instanceof ServletResponseWrapper wrapper) {
      if (at instanceof HeldResponse held) {
        return held.real;
      }
      at = wrapper.getResponse();
    }
    return response;
  }

  /** See {@link HeldFields#setInOuterFilters}. */
  void setInOuterFilters(boolean inOuterFilters) {
    fields.setInOuterFilters(inOuterFilters);
  }

  void setInChain(boolean inChain) {
    fields.setInChain(inChain);
  }

  synchronized void adoptOuterChanges() {
    fields.adoptOuterChanges();
  }

  /** Filters outside that are part of an ASYNC dispatch look for their own wrappers in here. */
  @Override
  public ServletResponse getResponse() {
    ServletResponse shown = super.getResponse();
    return shown == wrapped && fields.isInOuterFilters() && !isDetached() ? real : shown;
  }

  HttpServletResponse real() {
    return real;
  }

  // What is recorded, and how it is sent.

  /** Puts the last bytes into the body: the handler has answered. */
  void finish() {
    if (text != null) {
      text.encode();
    }
    ignoreFurtherWrites();
  }

  /** Ignores what the handler writes or sets from now on, on any thread. */
  synchronized void ignoreFurtherWrites() {
    committed = true;
    closed = true;
    body.end();
  }

  @Nullable SentError sentError() {
    return sentError;
  }

  Body bodyToRecord() {
    return body.toRecord();
  }

  synchronized List<Header> fields() {
    return fields.handlerFields();
  }

  /** Whether a part of the body was written to the container, which may not have sent it yet. */
  boolean isPartlyWritten() {
    return body.isPartlyWritten();
  }

  /** Whether a part of the answer was sent, so that it cannot be reset any more. */
  boolean isPartlySent() {
    return body.isPartlyWritten() && (isDetached() || real.isCommitted());
  }

  /** Sends what was held back. */
  void send() throws IOException {
    if (isDetached()) {
      return;
    }
    if (!body.isPartlyWritten()) {
      real.setStatus(status);
      fields.sendCookies();
      // The real length, whatever the handler has set. After a length Undertow sends no trailers.
      boolean setLength =
          body.size() > 0 ? real.getTrailerFields() == null : fields.isContentLengthSet();
      if (setLength && status != SC_NOT_MODIFIED) {
        real.setContentLengthLong(body.size());
      }
    }
    body.send();
  }

  /** How many bytes of the body were written to the container. */
  long bytesSent() {
    return body.bytesSent();
  }

  /** Synchronized with {@link #answerAndDetach}: only one of them gets the container's response. */
  private synchronized OutputStream openBody() throws IOException {
    if (isDetached()) {
      throw new IOException("response: over (expected: open)");
    }
    real.setStatus(status);
    fields.sendCookies();
    if (body.isPartlyWritten() && isOnUndertow()) {
      breakTrailersIfAborted();
    }
    return text == null
        ? Fields.out(real)
        : new WriterOutputStream(real.getWriter(), text.charset());
  }

  boolean isOnUndertow() {
    return request.getServletContext().getServerInfo().contains("Undertow");
  }

  /**
   * Undertow ends an answer as if it were whole, whatever is thrown; only trailers that cannot be
   * written keep it from that.
   */
  private void breakTrailersIfAborted() {
    Supplier<Map<String, String>> own = real.getTrailerFields();
    try {
      real.setTrailerFields(
          () -> {
            if (aborted) {
              throw new IllegalStateException("answer: not recorded; cut off");
            }
            return own == null ? Map.of() : own.get();
          });
    } catch (IllegalStateException e) {
      // HTTP/1.0: there the connection closes anyway.
    }
  }

  /** The rest of the answer will not be sent. */
  void abort() {
    aborted = true;
  }

  /**
   * Sends something else in the place of what was held back. A thread that is interrupted sends it
   * at once, and is interrupted again after that: Tomcat's connection closes under one that is.
   */
  synchronized void sendInstead(Reply reply) throws IOException {
    if (isDetached()) {
      return;
    }
    ignoreFurtherWrites();
    clear();
    boolean interrupted = Thread.interrupted();
    try {
      if (interrupted && request.getProtocol().startsWith("HTTP/1")) {
        real.setHeader("Connection", "close");
      }
      Fields.send(real, reply);
      if (interrupted) {
        real.flushBuffer();
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Forgets all that the handler did. */
  void clear() {
    forgetBody();
    fields.clear();
    noteContainerStatus();
  }

  private void forgetBody() {
    body.reset();
    text = null;
    writer = null;
    stream = null;
  }

  private void noteContainerStatus() {
    if (!isDetached()) {
      lastContainerStatus = real.getStatus();
    }
  }

  /** Lets the container show its error page. */
  void leaveErrorToContainer(SentError error) throws IOException {
    fields.sendCookies();
    if (error.message() == null) {
      real.sendError(error.status());
    } else {
      real.sendError(error.status(), error.message());
    }
  }

  /** If something else ends a request that answers later, that must not look like a success. */
  void presetErrorStatus() {
    if (!isDetached() && !body.isPartlyWritten()) {
      real.setStatus(SC_INTERNAL_SERVER_ERROR);
      noteContainerStatus();
    }
  }

  /**
   * Whether the container has answered by itself, without this response: Undertow does so for a
   * servlet that is not available.
   */
  boolean isAnsweredByContainer() {
    return !isDetached() && !body.isPartlyWritten() && real.getStatus() != lastContainerStatus;
  }

  /** The status that the container has, whatever the handler said. */
  int statusOfContainer() {
    return real.getStatus();
  }

  /** Answers an error in a few words of our own. Fields stay, but for those of another body. */
  synchronized void answerError(SentError error) {
    Reply reply = Explanation.of(error.status(), error.message());
    forgetBody();
    fields.replaceContent(reply.headers());
    noteContainerStatus();
    status = reply.status();
    byte[] bytes = reply.body().toArray();
    body.write(bytes, 0, bytes.length);
  }

  /**
   * From now on the container's response is not touched: it belongs to somebody else. Another
   * thread may be about to record the fields: they are read before this, or kept here.
   */
  synchronized void detach() {
    if (!isDetached()) {
      requestPath = request.getRequestURI();
      fields.detach();
      body.stopSending();
    }
  }

  boolean isDetached() {
    return fields.isDetached();
  }

  /**
   * Answers the client, unless part of an answer has gone; what the handler does from now on is for
   * the record only.
   */
  synchronized boolean answerAndDetach(Reply reply) throws IOException {
    if (body.isPartlyWritten()) {
      return false;
    }
    if (!isDetached()) {
      requestPath = request.getRequestURI();
      fields.restoreAndDetach();
      body.stopSending();
      Fields.send(real, reply);
    }
    return true;
  }

  /** See {@link ListenerAnswer}. */
  void listenersBegin() {
    listener.begin(isCommitted());
  }

  void listenersEnd() {
    listener.end();
  }

  /** Whether all that is held is the answer of a listener. */
  boolean isAnsweredByListener() {
    return listener.isWholeAnswer();
  }

  /** Text or bytes of the body were written; text may not be encoded yet. */
  void noteWritten(int length) {
    if (length > 0) {
      listener.bodyWritten();
    }
  }

  // The handler's view.

  /** Writes bytes of the body, unless it is closed. */
  void writeBody(byte[] bytes, int offset, int length) {
    if (!closed) {
      noteWritten(length);
      body.write(bytes, offset, length);
    }
  }

  void close() {
    flushBuffer();
    closed = true;
  }

  @Override
  public ServletOutputStream getOutputStream() {
    if (text != null) {
      throw new IllegalStateException("getOutputStream: after getWriter (expected: one of them)");
    }
    if (stream == null) {
      stream = new HeldStream(this, async);
    }
    return stream;
  }

  @Override
  public synchronized PrintWriter getWriter() throws IOException {
    if (stream != null) {
      throw new IllegalStateException("getWriter: after getOutputStream (expected: one of them)");
    }
    if (writer == null || resetForForward()) {
      text = new HeldWriter(this, fields.fixCharset());
      writer = new PrintWriter(text);
    }
    return writer;
  }

  /** Jetty lets the target of a forward begin anew, also with another charset. */
  private boolean resetForForward() {
    boolean charsetChanged = isOpen() && fields.hasOtherCharset();
    if (charsetChanged) {
      resetBuffer();
    }
    return charsetChanged;
  }

  @Override
  public boolean isCommitted() {
    return committed || body.isPartlyWritten() || body.size() > bufferSize;
  }

  private boolean isOpen() {
    return !isCommitted() && !isIncluded();
  }

  /** Whether this is called by something that is included, which may only add to the body. */
  private boolean isIncluded() {
    return !isDetached()
        && (super.getResponse() != wrapped
            || request.getDispatcherType() == DispatcherType.INCLUDE);
  }

  private void requireNotCommitted(String call) {
    if (isCommitted()) {
      throw new IllegalStateException(call + ": committed (expected: before the first flush)");
    }
  }

  @Override
  public void flushBuffer() {
    if (text != null) {
      text.encode();
    }
    committed = true;
  }

  @Override
  public int getBufferSize() {
    return bufferSize;
  }

  @Override
  public void setBufferSize(int size) {
    if (body.size() > 0 || isCommitted()) {
      throw new IllegalStateException("setBufferSize: after content (expected: before)");
    }
    if (!isDetached()) {
      real.setBufferSize(size);
      bufferSize = real.getBufferSize();
    }
  }

  @Override
  public synchronized void resetBuffer() {
    requireNotCommitted("resetBuffer");
    if (text != null) {
      text.discard();
    }
    body.reset();
    listener.bodyReset();
  }

  @Override
  public synchronized void reset() {
    if (isIncluded()) {
      return;
    }
    resetBuffer();
    stream = null;
    text = null;
    writer = null;
    status = SC_OK;
    fields.reset();
    noteContainerStatus();
  }

  @Override
  public int getStatus() {
    return status;
  }

  @Override
  public synchronized void setStatus(int value) {
    if (isOpen()) {
      listener.statusSet();
      status = value;
    }
  }

  @Override
  public void sendError(int value) {
    sendError(value, null);
  }

  @Override
  public synchronized void sendError(int value, @Nullable String message) {
    if (isIncluded()) {
      return;
    }
    resetBuffer();
    listener.statusSet();
    status = value;
    sentError = new SentError(value, message);
    committed = true;
    closed = true;
  }

  @Override
  public void sendRedirect(String location) {
    sendRedirect(location, SC_FOUND, true);
  }

  // The next three as Servlet 6.1 has them; in 6.0 nobody calls them but us.

  public void sendRedirect(String location, int value) {
    sendRedirect(location, value, true);
  }

  public void sendRedirect(String location, boolean clearBuffer) {
    sendRedirect(location, SC_FOUND, clearBuffer);
  }

  public void sendRedirect(String location, int value, boolean clearBuffer) {
    requireNotCommitted("sendRedirect");
    if (isIncluded()) {
      return;
    }
    if (clearBuffer) {
      resetBuffer();
    }
    listener.statusSet();
    status = value;
    setHeader("Location", absoluteLocation(location));
    committed = true;
    closed = true;
  }

  /** The location as a path from the root, or a whole URL. */
  private String absoluteLocation(String location) {
    if (location.startsWith("/") || HAS_SCHEME.matcher(location).matches()) {
      return location;
    }
    String from =
        LEADING_SLASHES
            .matcher(isDetached() ? requestPath : request.getRequestURI())
            .replaceFirst("/");
    boolean samePage = location.isEmpty() || location.startsWith("?") || location.startsWith("#");
    return (samePage ? from : from.substring(0, from.lastIndexOf('/') + 1)) + location;
  }

  // Its fields: once it is committed, or by what is included, nothing is set.

  @Override
  public synchronized void setHeader(String name, @Nullable String value) {
    if (isOpen()) {
      fields.set(name, value);
    }
  }

  @Override
  public synchronized void addHeader(String name, @Nullable String value) {
    if (isOpen()) {
      fields.add(name, value);
    }
  }

  @Override
  public void setIntHeader(String name, int value) {
    setHeader(name, String.valueOf(value));
  }

  @Override
  public void addIntHeader(String name, int value) {
    addHeader(name, String.valueOf(value));
  }

  @Override
  public synchronized void setDateHeader(String name, long date) {
    if (isOpen()) {
      fields.setDate(name, date);
    }
  }

  @Override
  public synchronized void addDateHeader(String name, long date) {
    if (isOpen()) {
      fields.addDate(name, date);
    }
  }

  @Override
  public synchronized void addCookie(Cookie cookie) {
    if (isOpen()) {
      fields.addCookie(cookie);
    }
  }

  @Override
  public synchronized void setContentType(@Nullable String type) {
    if (isOpen()) {
      fields.setContentType(type);
    }
  }

  @Override
  public void setContentLength(int length) {
    setContentLengthLong(length);
  }

  @Override
  public synchronized void setContentLengthLong(long length) {
    if (isOpen()) {
      fields.setContentLength(length);
    }
  }

  @Override
  public synchronized void setCharacterEncoding(@Nullable String charset) {
    if (isOpen()) {
      fields.setEncoding(charset);
    }
  }

  /** As Servlet 6.1 has it. */
  public void setCharacterEncoding(@Nullable Charset charset) {
    setCharacterEncoding(charset == null ? null : charset.name());
  }

  @Override
  public synchronized void setLocale(Locale locale) {
    if (isOpen()) {
      fields.setLocale(locale);
    }
  }

  @Override
  public void setTrailerFields(Supplier<Map<String, String>> trailers) {
    if (!isDetached()) {
      real.setTrailerFields(trailers);
    }
  }

  @Override
  public synchronized boolean containsHeader(String name) {
    return fields.contains(name);
  }

  @Override
  public synchronized @Nullable String getHeader(String name) {
    return fields.first(name);
  }

  @Override
  public synchronized Collection<String> getHeaders(String name) {
    return fields.values(name);
  }

  @Override
  public synchronized Collection<String> getHeaderNames() {
    return fields.names();
  }

  @Override
  public synchronized @Nullable String getContentType() {
    return fields.contentType();
  }

  @Override
  public synchronized String getCharacterEncoding() {
    return fields.encoding();
  }

  @Override
  public Locale getLocale() {
    return isDetached() ? Locale.getDefault() : real.getLocale();
  }

  @Override
  public String encodeURL(String url) {
    return isDetached() ? url : real.encodeURL(url);
  }

  @Override
  public String encodeRedirectURL(String url) {
    return isDetached() ? url : real.encodeRedirectURL(url);
  }
}
