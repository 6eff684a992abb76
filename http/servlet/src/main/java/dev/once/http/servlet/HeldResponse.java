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
import java.util.ArrayList;
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
 * <p>Header fields go straight to the container, which knows best what a content type, a charset or
 * a locale does to them; it sends nothing before there is a body. So this must never let the
 * container's own response be committed: what commits a response is played to the handler, and done
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

  /** What {@code sendError} was called with. */
  record Failure(int status, @Nullable String message) {}

  private final HttpServletRequest request;
  private final HttpServletResponse real;

  /**
   * What containers are shown as the one inside, while the chain runs; another one while Tomcat
   * includes something.
   */
  private final ServletResponse inside;

  /** What filters outside have set. */
  private final List<Header> before;

  /** A field that was set when filters outside had this in their hands. */
  private record Touched(Thread by, String name) {}

  private final List<Touched> touched = new ArrayList<>();

  private int bufferSize;
  private final HeldBody body;
  private final Executor async;
  private int status;

  /** What the container's response was left with: nobody but the container changes that. */
  private int leftStatus;

  private boolean typed;
  private boolean localized;

  /** What {@code setCharacterEncoding} was called with; null if it was not. */
  private @Nullable String encoding;

  private volatile boolean committed;
  private volatile boolean cutOff;

  private volatile boolean outside;
  private volatile boolean inChain;

  /** No more bytes are taken. */
  private volatile boolean closed;

  /** Whether something of a body was written, and not taken back. */
  private volatile boolean written;

  /** Whose words are those of a listener, while listeners are told; null if everybody's are. */
  private volatile @Nullable Thread listener;

  /** Whether somebody has given a status, or a part of the body, since listeners were told. */
  private volatile boolean said;

  /** Whether another thread has had its say while they were told. */
  private volatile boolean mixed;

  /** Whether what was held when listeners were told is still there: it may be half an answer. */
  private volatile boolean half;

  private final List<Cookie> cookies = new ArrayList<>();
  private @Nullable Failure failure;
  private @Nullable HeldStream stream;
  private @Nullable HeldWriter text;
  private @Nullable PrintWriter writer;

  /** The fields, once the container's response is not to be touched any more; null before. */
  private volatile @Nullable DetachedFields detached;

  /** The path of the request, from then on. */
  private String path = "/";

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
    this.inside = super.getResponse();
    this.request = request;
    this.real = real;
    this.async = async;
    this.before = new ArrayList<>(earlier == null ? Fields.of(real, true, false) : earlier.before);
    this.status = real.getStatus();
    this.leftStatus = status;
    this.bufferSize = real.getBufferSize();
    this.body = new HeldBody(maxStoredBody, this::open);
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

  /**
   * Whether filters outside have this in their hands: in an ASYNC dispatch, before the chain and
   * after it.
   */
  private boolean isOutside() {
    return outside && !inChain;
  }

  /** A dispatch was asked for, or has returned to them; or has come to the filter. */
  void outside(boolean is) {
    outside = is;
  }

  void inChain(boolean is) {
    inChain = is;
  }

  private void touch(String name) {
    if (isOutside()) {
      touched.add(new Touched(Thread.currentThread(), name));
    }
  }

  /** An ASYNC dispatch has come to this filter: what was set on its thread is of those outside. */
  synchronized void noteOutside() {
    for (Touched one : touched) {
      if (one.by() == Thread.currentThread()) {
        before.removeIf(field -> field.name().equalsIgnoreCase(one.name()));
        real.getHeaders(one.name()).forEach(value -> before.add(new Header(one.name(), value)));
      }
    }
    touched.clear();
  }

  /** Filters outside that are part of an ASYNC dispatch look for their own wrappers in here. */
  @Override
  public ServletResponse getResponse() {
    ServletResponse shown = super.getResponse();
    return shown == inside && isOutside() && detached == null ? real : shown;
  }

  HttpServletResponse real() {
    return real;
  }

  // What is recorded, and how it is sent.

  /** Puts the last bytes into the body: the handler has answered. */
  void finish() {
    if (text != null) {
      text.drain();
    }
    shut();
  }

  /** Nothing that the handler writes or sets from now on counts, on whichever thread. */
  synchronized void shut() {
    committed = true;
    closed = true;
    body.end();
  }

  @Nullable Failure failure() {
    return failure;
  }

  Body kept() {
    return body.kept();
  }

  /** The fields that the handler set, and not those that were there before. */
  synchronized List<Header> fields() {
    DetachedFields own = detached;
    return own != null ? own.all() : Fields.changed(before, Fields.of(real, typed, localized));
  }

  /** Whether the container has a part of the body: it may have sent that, or may still hold it. */
  boolean isPassedOn() {
    return body.isPartlySent();
  }

  /** Whether the client has seen a part of the answer; what the container holds can be reset. */
  boolean isSent() {
    return body.isPartlySent() && (detached != null || real.isCommitted());
  }

  /** Sends what was held back. */
  void send() throws IOException {
    if (detached != null) {
      return;
    }
    if (!body.isPartlySent()) {
      real.setStatus(status);
      giveCookies();
      // Whatever the handler said that it would be. Undertow has no trailers after a length.
      if (body.size() > 0 && real.getTrailerFields() == null) {
        real.setContentLengthLong(body.size());
      }
    }
    body.send();
  }

  /** In one step with {@link #leaveWith}: one of them has the container's response. */
  private synchronized OutputStream open() throws IOException {
    if (detached != null) {
      throw new IOException("response: over (expected: open)");
    }
    real.setStatus(status);
    giveCookies();
    if (body.isPartlySent() && request.getServletContext().getServerInfo().contains("Undertow")) {
      breakIfCutOff();
    }
    return text == null ? Fields.out(real) : new TextOut(real.getWriter(), text.charset());
  }

  /**
   * Undertow ends an answer as if it were whole, whatever is thrown; only trailers that cannot be
   * written keep it from that.
   */
  private void breakIfCutOff() {
    Supplier<Map<String, String>> own = real.getTrailerFields();
    try {
      real.setTrailerFields(
          () -> {
            if (cutOff) {
              throw new IllegalStateException("answer: not recorded; cut off");
            }
            return own == null ? Map.of() : own.get();
          });
    } catch (IllegalStateException e) {
      // HTTP/1.0: there the connection closes anyway.
    }
  }

  /** The rest of the answer will not be sent. */
  void cutOff() {
    cutOff = true;
  }

  /**
   * Sends something else in the place of what was held back. A thread that is interrupted sends it
   * at once, and is interrupted again after that: Tomcat's connection closes under one that is.
   */
  synchronized void sendInstead(Reply reply) throws IOException {
    if (detached != null) {
      return;
    }
    shut();
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
    body.reset();
    text = null;
    writer = null;
    stream = null;
    typed = false;
    localized = false;
    encoding = null;
    DetachedFields own = detached;
    if (own == null) {
      resetReal();
      Fields.set(real, before);
    } else {
      own.clear();
    }
  }

  private void giveCookies() {
    cookies.forEach(real::addCookie);
    cookies.clear();
  }

  private void resetReal() {
    cookies.clear();
    real.reset();
    leftStatus = real.getStatus();
  }

  /** Lets the container show its error page. */
  void passOn(Failure failed) throws IOException {
    giveCookies();
    if (failed.message() == null) {
      real.sendError(failed.status());
    } else {
      real.sendError(failed.status(), failed.message());
    }
  }

  /** Whatever ends a request that answers later without us, it must not look like a success. */
  void expectLater() {
    if (detached == null && !body.isPartlySent()) {
      real.setStatus(SC_INTERNAL_SERVER_ERROR);
      leftStatus = real.getStatus();
    }
  }

  /**
   * Whether the container has answered past this: Undertow does for a servlet that is not
   * available.
   */
  boolean isAnsweredPast() {
    return detached == null && !body.isPartlySent() && real.getStatus() != leftStatus;
  }

  /** The status that the container has, whatever the handler said. */
  int statusOfContainer() {
    return real.getStatus();
  }

  /** Answers an error in a few words of our own. Fields stay, but for those of another body. */
  synchronized void explain(Failure failed) {
    List<Header> fields = Fields.withoutContent(fields());
    List<Cookie> given = List.copyOf(cookies);
    clear();
    cookies.addAll(given);
    Reply reply = Explanation.of(failed.status(), failed.message());
    status = reply.status();
    DetachedFields own = detached;
    if (own == null) {
      typed = true;
      Fields.set(real, fields);
      Fields.set(real, reply.headers());
    } else {
      fields.forEach(field -> own.add(field.name(), field.value()));
      reply.headers().forEach(field -> own.add(field.name(), field.value()));
    }
    byte[] bytes = reply.body().toArray();
    body.write(bytes, 0, bytes.length);
  }

  /**
   * From now on the container's response is not touched: it belongs to somebody else. Another
   * thread may be about to record the fields: they are read before this, or kept here.
   */
  synchronized void detach() {
    if (detached == null) {
      path = request.getRequestURI();
      detached = new DetachedFields(fields());
      body.left();
    }
  }

  boolean isDetached() {
    return detached != null;
  }

  /**
   * Answers the client, unless part of an answer has gone; what the handler does from now on is for
   * the record only.
   */
  synchronized boolean leaveWith(Reply reply) throws IOException {
    if (body.isPartlySent()) {
      return false;
    }
    if (detached == null) {
      detach();
      resetReal();
      Fields.set(real, before);
      Fields.send(real, reply);
    }
    return true;
  }

  /** Listeners are told of a timeout or an error on this thread: what it says is their word. */
  void listen() {
    listener = Thread.currentThread();
    said = false;
    mixed = false;
    half = isCommitted() || written;
  }

  /** They were told: if one of them goes on by a dispatch, that answers for it. */
  void listened() {
    listener = null;
  }

  /** Whether what is held was said after listeners were told, all of it. */
  boolean isSaid() {
    return said && !half && !mixed;
  }

  private void said() {
    Thread one = listener;
    if (one == null || one == Thread.currentThread()) {
      said = true;
    } else {
      mixed = true;
    }
  }

  /** Something of the body is written, and may not be encoded yet. */
  void wrote(int length) {
    if (length > 0) {
      written = true;
      said();
    }
  }

  // The handler's view.

  /** Takes bytes of the body, unless the response is over. */
  void take(byte[] bytes, int offset, int length) {
    if (!closed) {
      wrote(length);
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
    if (writer == null || isForwarded()) {
      DetachedFields own = detached;
      Charset charset;
      if (own == null) {
        real.getWriter(); // settles the charset, and the content type that names it
        charset = Charset.forName(real.getCharacterEncoding());
      } else {
        charset = own.charset(encoding);
        own.nameCharset(charset.name());
      }
      text = new HeldWriter(this, charset);
      writer = new PrintWriter(text);
    }
    return writer;
  }

  /** Jetty lets the target of a forward begin anew, also with another charset. */
  private boolean isForwarded() {
    boolean anew =
        detached == null
            && isOpen()
            && text != null
            && !text.charset().equals(Charset.forName(real.getCharacterEncoding()));
    if (anew) {
      resetBuffer();
    }
    return anew;
  }

  @Override
  public boolean isCommitted() {
    return committed || body.isPartlySent() || body.size() > bufferSize;
  }

  private boolean isOpen() {
    return !isCommitted() && !isIncluded();
  }

  /** Whether this is called by something that is included, which may only add to the body. */
  private boolean isIncluded() {
    return detached == null
        && (super.getResponse() != inside || request.getDispatcherType() == DispatcherType.INCLUDE);
  }

  private void mustBeOpen(String call) {
    if (isCommitted()) {
      throw new IllegalStateException(call + ": committed (expected: before the first flush)");
    }
  }

  @Override
  public void flushBuffer() {
    if (text != null) {
      text.drain();
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
    if (detached == null) {
      real.setBufferSize(size);
      bufferSize = real.getBufferSize();
    }
  }

  @Override
  public synchronized void resetBuffer() {
    mustBeOpen("resetBuffer");
    if (text != null) {
      text.forget();
    }
    body.reset();
    written = false;
    half = false;
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
    typed = false;
    localized = false;
    encoding = null;
    DetachedFields own = detached;
    if (own == null) {
      resetReal();
    } else {
      own.clear();
    }
  }

  @Override
  public int getStatus() {
    return status;
  }

  @Override
  public synchronized void setStatus(int value) {
    if (isOpen()) {
      said();
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
    said();
    status = value;
    failure = new Failure(value, message);
    committed = true;
    closed = true;
  }

  @Override
  public void sendRedirect(String location) {
    sendRedirect(location, SC_FOUND, true);
  }

  /** As Servlet 6.1 has it; in 6.0 nobody calls it but us. */
  public void sendRedirect(String location, int value, boolean clearBuffer) {
    mustBeOpen("sendRedirect");
    if (isIncluded()) {
      return;
    }
    if (clearBuffer) {
      resetBuffer();
    }
    said();
    status = value;
    setHeader("Location", fromRoot(location));
    committed = true;
    closed = true;
  }

  /** A location that does not depend on the path of the request. */
  private String fromRoot(String location) {
    if (location.startsWith("/") || HAS_SCHEME.matcher(location).matches()) {
      return location;
    }
    String from =
        LEADING_SLASHES
            .matcher(detached == null ? request.getRequestURI() : path)
            .replaceFirst("/");
    boolean samePage = location.isEmpty() || location.startsWith("?") || location.startsWith("#");
    return (samePage ? from : from.substring(0, from.lastIndexOf('/') + 1)) + location;
  }

  @Override
  public synchronized void setHeader(String name, @Nullable String value) {
    if (isOpen()) {
      DetachedFields own = detached;
      if (own == null) {
        typed |= name.equalsIgnoreCase(DetachedFields.CONTENT_TYPE);
        real.setHeader(name, value);
        touch(name);
      } else {
        own.set(name, value);
        settleCharset(own);
      }
    }
  }

  @Override
  public synchronized void addHeader(String name, @Nullable String value) {
    if (isOpen()) {
      DetachedFields own = detached;
      if (own == null) {
        typed |= name.equalsIgnoreCase(DetachedFields.CONTENT_TYPE);
        real.addHeader(name, value);
        touch(name);
      } else {
        own.add(name, value);
        settleCharset(own);
      }
    }
  }

  /** Nothing changes the charset of text once the writer was asked for. */
  private void settleCharset(DetachedFields own) {
    if (text != null) {
      own.nameCharset(text.charset().name());
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
    if (detached != null) {
      setHeader(name, DetachedFields.date(date));
    } else if (isOpen()) {
      real.setDateHeader(name, date);
      touch(name);
    }
  }

  @Override
  public synchronized void addDateHeader(String name, long date) {
    if (detached != null) {
      addHeader(name, DetachedFields.date(date));
    } else if (isOpen()) {
      real.addDateHeader(name, date);
      touch(name);
    }
  }

  @Override
  public synchronized void addCookie(Cookie cookie) {
    if (isOpen() && detached == null) {
      cookies.add(cookie); // Undertow would keep it through a reset
    }
  }

  @Override
  public synchronized void setContentType(@Nullable String type) {
    if (detached != null) {
      setHeader(DetachedFields.CONTENT_TYPE, type);
    } else if (isOpen()) {
      typed = true;
      real.setContentType(type);
    }
  }

  @Override
  public void setContentLength(int length) {
    setContentLengthLong(length);
  }

  @Override
  public synchronized void setContentLengthLong(long length) {
    if (isOpen() && detached == null) {
      real.setContentLengthLong(length);
    }
  }

  @Override
  public synchronized void setCharacterEncoding(@Nullable String charset) {
    if (!isOpen()) {
      return;
    }
    if (text == null) {
      encoding = charset;
    }
    DetachedFields own = detached;
    if (own == null) {
      real.setCharacterEncoding(charset);
    } else if (text == null && charset != null) {
      own.nameCharset(charset);
    }
  }

  @Override
  public synchronized void setLocale(Locale locale) {
    if (detached != null) {
      setHeader("Content-Language", locale.toLanguageTag());
    } else if (isOpen()) {
      localized = true;
      real.setLocale(locale);
    }
  }

  @Override
  public void setTrailerFields(Supplier<Map<String, String>> trailers) {
    if (detached == null) {
      real.setTrailerFields(trailers);
    }
  }

  // What the handler asks for; after a timeout the container would tell of its own reply.

  @Override
  public synchronized boolean containsHeader(String name) {
    DetachedFields own = detached;
    return own == null ? real.containsHeader(name) : own.first(name) != null;
  }

  @Override
  public synchronized @Nullable String getHeader(String name) {
    DetachedFields own = detached;
    return own == null ? real.getHeader(name) : own.first(name);
  }

  @Override
  public synchronized Collection<String> getHeaders(String name) {
    DetachedFields own = detached;
    return own == null ? real.getHeaders(name) : own.values(name);
  }

  @Override
  public synchronized Collection<String> getHeaderNames() {
    DetachedFields own = detached;
    return own == null ? real.getHeaderNames() : own.names();
  }

  @Override
  public synchronized @Nullable String getContentType() {
    DetachedFields own = detached;
    return own == null ? real.getContentType() : own.first(DetachedFields.CONTENT_TYPE);
  }

  @Override
  public synchronized String getCharacterEncoding() {
    DetachedFields own = detached;
    return own == null ? real.getCharacterEncoding() : own.charsetName(encoding);
  }

  @Override
  public Locale getLocale() {
    return detached == null ? real.getLocale() : Locale.getDefault();
  }

  @Override
  public String encodeURL(String url) {
    return detached == null ? real.encodeURL(url) : url;
  }

  @Override
  public String encodeRedirectURL(String url) {
    return detached == null ? real.encodeRedirectURL(url) : url;
  }
}
