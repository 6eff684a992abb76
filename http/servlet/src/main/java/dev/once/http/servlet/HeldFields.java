package dev.once.http.servlet;

import dev.once.core.Header;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The header fields of a {@link HeldResponse}, and who has set them.
 *
 * <p>They go straight to the container, which knows best what a content type, a charset or a locale
 * does to them; it sends nothing before there is a body. From {@link #detach} on, when the
 * container's response belongs to somebody else, they are kept here. Cookies are held back:
 * Undertow would keep them through a reset.
 *
 * <p>Guarded by the {@link HeldResponse}, but for what is volatile.
 */
final class HeldFields {

  /** A field that was set when filters outside had the response in their hands. */
  private record Touched(Thread by, String name) {}

  private final HttpServletResponse real;

  /** What filters outside have set. */
  private final List<Header> before;

  private final List<Touched> touched = new ArrayList<>();
  private volatile boolean outside;
  private volatile boolean inChain;

  private boolean typed;
  private boolean localized;
  private boolean measured;
  private final List<Cookie> cookies = new ArrayList<>();

  /** What {@code setCharacterEncoding} was called with; null if it was not. */
  private @Nullable String encoding;

  /** That of the writer, which nothing changes once it was asked for; null before. */
  private @Nullable Charset ofWriter;

  /** The fields, once the container's response is not to be touched any more; null before. */
  private volatile @Nullable DetachedFields detached;

  /**
   * @param earlier those of the same response before an error page; null if there are none
   */
  HeldFields(HttpServletResponse real, @Nullable HeldFields earlier) {
    this.real = real;
    this.before = new ArrayList<>(earlier == null ? Fields.of(real, true, false) : earlier.before);
  }

  // Who sets them.

  /** A dispatch was asked for, or has returned to filters outside; or has come to the filter. */
  void outside(boolean is) {
    outside = is;
  }

  void inChain(boolean is) {
    inChain = is;
  }

  /**
   * Whether filters outside have the response in their hands: in an ASYNC dispatch, before the
   * chain and after it.
   */
  boolean isOutside() {
    return outside && !inChain;
  }

  private void touch(String name) {
    if (isOutside()) {
      touched.add(new Touched(Thread.currentThread(), name));
    }
  }

  /** An ASYNC dispatch has come to this filter: what was set on its thread is of those outside. */
  void noteOutside() {
    for (Touched one : touched) {
      if (one.by() == Thread.currentThread()) {
        before.removeIf(field -> field.name().equalsIgnoreCase(one.name()));
        real.getHeaders(one.name()).forEach(value -> before.add(new Header(one.name(), value)));
      }
    }
    touched.clear();
  }

  // The whole of them.

  /** The fields that the handler set, and not those that were there before. */
  List<Header> ofHandler() {
    DetachedFields own = detached;
    return own != null ? own.all() : Fields.changed(before, Fields.of(real, typed, localized));
  }

  boolean isDetached() {
    return detached != null;
  }

  void detach() {
    detached = new DetachedFields(ofHandler());
  }

  /** Forgets all, also what was there before. */
  void reset() {
    typed = false;
    localized = false;
    measured = false;
    encoding = null;
    ofWriter = null;
    cookies.clear();
    DetachedFields own = detached;
    if (own == null) {
      real.reset();
    } else {
      own.clear();
    }
  }

  /** Forgets what the handler set. */
  void clear() {
    reset();
    if (detached == null) {
      Fields.set(real, before);
    }
  }

  /** The container's response as it was before: it is for somebody else. */
  void giveBack() {
    detach();
    cookies.clear();
    real.reset();
    Fields.set(real, before);
  }

  /** Those of another body, in the place of what was said of the one before. Cookies stay. */
  void replaceContent(List<Header> content) {
    List<Header> others = Fields.withoutContent(ofHandler());
    List<Cookie> given = List.copyOf(cookies);
    clear();
    cookies.addAll(given);
    DetachedFields own = detached;
    if (own == null) {
      typed = true;
      Fields.set(real, others);
      Fields.set(real, content);
    } else {
      others.forEach(field -> own.add(field.name(), field.value()));
      content.forEach(field -> own.add(field.name(), field.value()));
    }
  }

  void giveCookies() {
    cookies.forEach(real::addCookie);
    cookies.clear();
  }

  // One by one.

  void set(String name, @Nullable String value) {
    DetachedFields own = detached;
    if (own == null) {
      note(name);
      real.setHeader(name, value);
      touch(name);
    } else {
      own.set(name, value);
      settleCharset(own);
    }
  }

  void add(String name, @Nullable String value) {
    DetachedFields own = detached;
    if (own == null) {
      note(name);
      real.addHeader(name, value);
      touch(name);
    } else {
      own.add(name, value);
      settleCharset(own);
    }
  }

  private void note(String name) {
    typed |= name.equalsIgnoreCase(DetachedFields.CONTENT_TYPE);
    measured |= name.equalsIgnoreCase("Content-Length");
  }

  /** Whether the handler has said how long its body is to be. */
  boolean saysLength() {
    return measured;
  }

  void setDate(String name, long date) {
    if (detached != null) {
      set(name, DetachedFields.date(date));
    } else {
      real.setDateHeader(name, date);
      touch(name);
    }
  }

  void addDate(String name, long date) {
    if (detached != null) {
      add(name, DetachedFields.date(date));
    } else {
      real.addDateHeader(name, date);
      touch(name);
    }
  }

  void addCookie(Cookie cookie) {
    if (detached == null) {
      cookies.add(cookie);
    }
  }

  void setContentType(@Nullable String type) {
    if (detached != null) {
      set(DetachedFields.CONTENT_TYPE, type);
    } else {
      typed = true;
      real.setContentType(type);
    }
  }

  void setContentLength(long length) {
    if (detached == null) {
      measured = true;
      real.setContentLengthLong(length);
    }
  }

  void setLocale(Locale locale) {
    if (detached != null) {
      set("Content-Language", locale.toLanguageTag());
    } else {
      localized = true;
      real.setLocale(locale);
    }
  }

  // The charset of text.

  void setEncoding(@Nullable String charset) {
    if (ofWriter == null) {
      encoding = charset;
    }
    DetachedFields own = detached;
    if (own == null) {
      real.setCharacterEncoding(charset);
    } else if (ofWriter == null && charset != null) {
      own.nameCharset(charset);
    }
  }

  /** The one that the handler's text is to have from now on; the content type names it. */
  Charset settleCharset() throws IOException {
    DetachedFields own = detached;
    Charset charset;
    if (own == null) {
      real.getWriter(); // settles it, and the content type
      charset = Charset.forName(real.getCharacterEncoding());
    } else {
      charset = own.charset(encoding);
      own.nameCharset(charset.name());
    }
    ofWriter = charset;
    return charset;
  }

  private void settleCharset(DetachedFields own) {
    if (ofWriter != null) {
      own.nameCharset(ofWriter.name());
    }
  }

  /** Whether the container has another charset by now: Jetty's, for the target of a forward. */
  boolean hasOtherCharset() {
    return detached == null
        && ofWriter != null
        && !ofWriter.equals(Charset.forName(real.getCharacterEncoding()));
  }

  // What the handler asks for; after a timeout the container would tell of its own reply.

  boolean contains(String name) {
    DetachedFields own = detached;
    return own == null ? real.containsHeader(name) : own.first(name) != null;
  }

  @Nullable String first(String name) {
    DetachedFields own = detached;
    return own == null ? real.getHeader(name) : own.first(name);
  }

  Collection<String> values(String name) {
    DetachedFields own = detached;
    return own == null ? real.getHeaders(name) : own.values(name);
  }

  Collection<String> names() {
    DetachedFields own = detached;
    return own == null ? real.getHeaderNames() : own.names();
  }

  @Nullable String contentType() {
    DetachedFields own = detached;
    return own == null ? real.getContentType() : own.first(DetachedFields.CONTENT_TYPE);
  }

  String encoding() {
    DetachedFields own = detached;
    return own == null ? real.getCharacterEncoding() : own.charsetName(encoding);
  }
}
