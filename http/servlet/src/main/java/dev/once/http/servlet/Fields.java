package dev.once.http.servlet;

import dev.once.core.Header;
import dev.once.http.semantics.Reply;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The header fields of a response: reads them, puts them back, and sends whole replies. */
final class Fields {

  private static final String CONTENT_TYPE = "Content-Type";

  private Fields() {}

  /**
   * All that are set so far. Tomcat keeps type and language in another place; Undertow still tells
   * a type after a reset.
   *
   * @param contentTypeSet whether a content type was set
   * @param localeSet whether a locale was set
   */
  static List<Header> of(HttpServletResponse response, boolean contentTypeSet, boolean localeSet) {
    List<Header> fields = new ArrayList<>();
    for (String name : response.getHeaderNames()) {
      if (!contains(fields, name) && !name.startsWith(":")) { // Tomcat's :status of HTTP/2
        for (String value : response.getHeaders(name)) {
          fields.add(new Header(name, value));
        }
      }
    }
    String type =
        contentTypeSet && !contains(fields, CONTENT_TYPE) ? response.getContentType() : null;
    if (type != null) {
      fields.add(new Header(CONTENT_TYPE, type));
    }
    if (localeSet && !contains(fields, "Content-Language")) {
      fields.add(new Header("Content-Language", response.getLocale().toLanguageTag()));
    }
    return fields;
  }

  /** Those of the second list whose name has other values in the first. */
  static List<Header> changed(List<Header> before, List<Header> after) {
    if (before.isEmpty()) {
      return after;
    }
    List<Header> changed = new ArrayList<>(after.size());
    for (Header field : after) {
      if (!values(before, field.name()).equals(values(after, field.name()))) {
        changed.add(field);
      }
    }
    return changed;
  }

  /** Those that are not about the body. */
  static List<Header> withoutContent(List<Header> fields) {
    return fields.stream()
        .filter(field -> !field.name().toLowerCase(Locale.ROOT).startsWith("content-"))
        .toList();
  }

  private static boolean contains(List<Header> fields, String name) {
    for (Header field : fields) {
      if (field.name().equalsIgnoreCase(name)) {
        return true;
      }
    }
    return false;
  }

  private static List<String> values(List<Header> fields, String name) {
    List<String> values = new ArrayList<>(1);
    for (Header field : fields) {
      if (field.name().equalsIgnoreCase(name)) {
        values.add(field.value());
      }
    }
    return values;
  }

  /** Sets fields, in the place of those that have the same names. */
  static void set(HttpServletResponse response, List<Header> fields) {
    for (int i = 0; i < fields.size(); i++) {
      Header field = fields.get(i);
      if (field.name().equalsIgnoreCase(CONTENT_TYPE)) {
        response.setContentType(field.value());
      } else if (contains(fields.subList(0, i), field.name())) {
        response.addHeader(field.name(), field.value());
      } else {
        response.setHeader(field.name(), field.value());
      }
    }
  }

  /** Sends a reply; the container adds what is about the connection. */
  static void send(HttpServletResponse response, Reply reply) throws IOException {
    response.setStatus(reply.status());
    set(response, reply.headers());
    if (reply.body().size() > 0) {
      response.setContentLength(reply.body().size());
      out(response).write(reply.body().toArray());
    }
  }

  /** Its stream; or its writer, if a wrapper outside remembers that the handler asked for that. */
  static OutputStream out(HttpServletResponse response) throws IOException {
    try {
      return response.getOutputStream();
    } catch (IllegalStateException e) {
      return new WriterOutputStream(
          response.getWriter(), Charset.forName(response.getCharacterEncoding()));
    }
  }
}
