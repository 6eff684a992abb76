package dev.once.http.servlet;

import dev.once.core.Header;
import dev.once.http.semantics.Reply;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The header fields of a response: reads them, puts them back, and sends whole replies. */
final class Fields {

  private static final String CONTENT_TYPE = "Content-Type";

  private Fields() {}

  /**
   * All that are set so far. Tomcat keeps type and language in another place; Undertow still tells
   * a type after a reset.
   *
   * @param typed whether a content type was set
   * @param localized whether a locale was set
   */
  static List<Header> of(HttpServletResponse response, boolean typed, boolean localized) {
    Collection<String> names = response.getHeaderNames();
    List<Header> fields = new ArrayList<>(names.size() + 1);
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (seen.add(name.toLowerCase(Locale.ROOT))) {
        for (String value : response.getHeaders(name)) {
          fields.add(new Header(name, value));
        }
      }
    }
    String type = typed && !seen.contains("content-type") ? response.getContentType() : null;
    if (type != null) {
      fields.add(new Header(CONTENT_TYPE, type));
    }
    if (localized && !seen.contains("content-language")) {
      fields.add(new Header("Content-Language", response.getLocale().toLanguageTag()));
    }
    return fields;
  }

  /** Those of the second list whose name has other values in the first. */
  static List<Header> changed(List<Header> before, List<Header> after) {
    if (before.isEmpty()) {
      return after;
    }
    return after.stream()
        .filter(field -> !named(before, field.name()).equals(named(after, field.name())))
        .toList();
  }

  /** Those that are not about the body. */
  static List<Header> withoutContent(List<Header> fields) {
    return fields.stream()
        .filter(field -> !field.name().toLowerCase(Locale.ROOT).startsWith("content-"))
        .toList();
  }

  private static List<String> named(List<Header> fields, String name) {
    return fields.stream()
        .filter(field -> field.name().equalsIgnoreCase(name))
        .map(Header::value)
        .toList();
  }

  /** Sets fields, in the place of those that have the same names. */
  static void set(HttpServletResponse response, List<Header> fields) {
    Set<String> seen = new HashSet<>();
    for (Header field : fields) {
      if (field.name().equalsIgnoreCase(CONTENT_TYPE)) {
        response.setContentType(field.value());
      } else if (seen.add(field.name().toLowerCase(Locale.ROOT))) {
        response.setHeader(field.name(), field.value());
      } else {
        response.addHeader(field.name(), field.value());
      }
    }
  }

  /** Sends a reply; the container adds what is about the connection. */
  static void send(HttpServletResponse response, Reply reply) throws IOException {
    response.setStatus(reply.status());
    set(response, reply.headers());
    if (reply.body().size() > 0) {
      response.setContentLength(reply.body().size());
      response.getOutputStream().write(reply.body().toArray());
    }
  }
}
