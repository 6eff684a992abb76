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

  /** A field that was set while filters outside had the response. */
  private record OuterChange(Thread thread, String name) {}

  private final HttpServletResponse real;

  /** What filters outside have set. */
  private final List<Header> outerFields;

  private final List<OuterChange> outerChanges = new ArrayList<>();
  private volatile boolean inOuterFilters;
  private volatile boolean inChain;

  private boolean contentTypeSet;
  private boolean localeSet;
  private boolean contentLengthSet;
  private final List<Cookie> cookies = new ArrayList<>();

  /** What {@code setCharacterEncoding} was called with; null if it was not. */
  private @Nullable String encoding;

  /** The charset of the writer, which is fixed when the writer is made; null before. */
  private @Nullable Charset writerCharset;

  /** The fields, once the container's response is not to be touched any more; null before. */
  private volatile @Nullable DetachedFields detached;

  /**
   * @param earlier those of the same response before an error page; null if there are none
   */
  HeldFields(HttpServletResponse real, @Nullable HeldFields earlier) {
    this.real = real;
    this.outerFields =
        new ArrayList<>(earlier == null ? Fields.of(real, true, false) : earlier.outerFields);
  }

  // Who sets them.

  /**
   * True from the call of an ASYNC dispatch until it comes to this filter, and again once it has
   * left this filter. Then filters outside may set fields.
   */
  void setInOuterFilters(boolean inOuterFilters) {
    this.inOuterFilters = inOuterFilters;
  }

  void setInChain(boolean inChain) {
    this.inChain = inChain;
  }

  /**
   * Whether filters outside have the response now: in an ASYNC dispatch, before the chain and after
   * it.
   */
  boolean isInOuterFilters() {
    return inOuterFilters && !inChain;
  }

  private void noteOuterChange(String name) {
    if (isInOuterFilters()) {
      outerChanges.add(new OuterChange(Thread.currentThread(), name));
    }
  }

  /** An ASYNC dispatch has come to this filter: filters outside set what was set on its thread. */
  void adoptOuterChanges() {
    for (OuterChange change : outerChanges) {
      if (change.thread() == Thread.currentThread()) {
        outerFields.removeIf(field -> field.name().equalsIgnoreCase(change.name()));
        real.getHeaders(change.name())
            .forEach(value -> outerFields.add(new Header(change.name(), value)));
      }
    }
    outerChanges.clear();
  }

  // The whole of them.

  /** The fields that the handler set, and not those that were there before. */
  List<Header> handlerFields() {
    DetachedFields copy = detached;
    return copy != null
        ? copy.all()
        : Fields.changed(outerFields, Fields.of(real, contentTypeSet, localeSet));
  }

  boolean isDetached() {
    return detached != null;
  }

  void detach() {
    detached = new DetachedFields(handlerFields());
  }

  /** Forgets all, also what was there before. */
  void reset() {
    contentTypeSet = false;
    localeSet = false;
    contentLengthSet = false;
    encoding = null;
    writerCharset = null;
    cookies.clear();
    DetachedFields copy = detached;
    if (copy == null) {
      real.reset();
    } else {
      copy.clear();
    }
  }

  /** Forgets what the handler set. */
  void clear() {
    reset();
    if (detached == null) {
      Fields.set(real, outerFields);
    }
  }

  /** The container's response becomes as it was before, and is not touched any more. */
  void restoreAndDetach() {
    detach();
    cookies.clear();
    real.reset();
    Fields.set(real, outerFields);
  }

  /** Sets the fields of another body, in place of those of the body before. Cookies stay. */
  void replaceContent(List<Header> content) {
    List<Header> others = Fields.withoutContent(handlerFields());
    List<Cookie> heldCookies = List.copyOf(cookies);
    clear();
    cookies.addAll(heldCookies);
    DetachedFields copy = detached;
    if (copy == null) {
      contentTypeSet = true;
      Fields.set(real, others);
      Fields.set(real, content);
    } else {
      others.forEach(field -> copy.add(field.name(), field.value()));
      content.forEach(field -> copy.add(field.name(), field.value()));
    }
  }

  void sendCookies() {
    cookies.forEach(real::addCookie);
    cookies.clear();
  }

  // One by one.

  void set(String name, @Nullable String value) {
    DetachedFields copy = detached;
    if (copy == null) {
      noteContentField(name);
      real.setHeader(name, value);
      noteOuterChange(name);
    } else {
      copy.set(name, value);
      fixCharset(copy);
    }
  }

  void add(String name, @Nullable String value) {
    DetachedFields copy = detached;
    if (copy == null) {
      noteContentField(name);
      real.addHeader(name, value);
      noteOuterChange(name);
    } else {
      copy.add(name, value);
      fixCharset(copy);
    }
  }

  private void noteContentField(String name) {
    contentTypeSet |= name.equalsIgnoreCase(DetachedFields.CONTENT_TYPE);
    contentLengthSet |= name.equalsIgnoreCase("Content-Length");
  }

  /** Whether the handler has said how long its body is to be. */
  boolean isContentLengthSet() {
    return contentLengthSet;
  }

  void setDate(String name, long date) {
    if (detached != null) {
      set(name, DetachedFields.date(date));
    } else {
      real.setDateHeader(name, date);
      noteOuterChange(name);
    }
  }

  void addDate(String name, long date) {
    if (detached != null) {
      add(name, DetachedFields.date(date));
    } else {
      real.addDateHeader(name, date);
      noteOuterChange(name);
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
      contentTypeSet = true;
      real.setContentType(type);
    }
  }

  void setContentLength(long length) {
    if (detached == null) {
      contentLengthSet = true;
      real.setContentLengthLong(length);
    }
  }

  void setLocale(Locale locale) {
    if (detached != null) {
      set("Content-Language", locale.toLanguageTag());
    } else {
      localeSet = true;
      real.setLocale(locale);
    }
  }

  // The charset of text.

  void setEncoding(@Nullable String charset) {
    if (writerCharset == null) {
      encoding = charset;
    }
    DetachedFields copy = detached;
    if (copy == null) {
      real.setCharacterEncoding(charset);
    } else if (writerCharset == null && charset != null) {
      copy.setCharset(charset);
    }
  }

  /** The charset of the handler's text from now on; the content type names it. */
  Charset fixCharset() throws IOException {
    DetachedFields copy = detached;
    Charset charset;
    if (copy == null) {
      real.getWriter(); // settles it, and the content type
      charset = Charset.forName(real.getCharacterEncoding());
    } else {
      charset = copy.charset(encoding);
      copy.setCharset(charset.name());
    }
    writerCharset = charset;
    return charset;
  }

  private void fixCharset(DetachedFields copy) {
    if (writerCharset != null) {
      copy.setCharset(writerCharset.name());
    }
  }

  /** Whether the container has another charset by now: Jetty's, for the target of a forward. */
  boolean hasOtherCharset() {
    return detached == null
        && writerCharset != null
        && !writerCharset.equals(Charset.forName(real.getCharacterEncoding()));
  }

  // What the handler asks for; after a timeout the container would tell of its own reply.

  boolean contains(String name) {
    DetachedFields copy = detached;
    return copy == null ? real.containsHeader(name) : copy.first(name) != null;
  }

  @Nullable String first(String name) {
    DetachedFields copy = detached;
    return copy == null ? real.getHeader(name) : copy.first(name);
  }

  Collection<String> values(String name) {
    DetachedFields copy = detached;
    return copy == null ? real.getHeaders(name) : copy.values(name);
  }

  Collection<String> names() {
    DetachedFields copy = detached;
    return copy == null ? real.getHeaderNames() : copy.names();
  }

  @Nullable String contentType() {
    DetachedFields copy = detached;
    return copy == null ? real.getContentType() : copy.first(DetachedFields.CONTENT_TYPE);
  }

  String encoding() {
    DetachedFields copy = detached;
    return copy == null ? real.getCharacterEncoding() : copy.charsetName(encoding);
  }
}
