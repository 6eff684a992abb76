package dev.once.http.semantics;

import dev.once.core.Header;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Which header fields go where. */
public final class FieldRules {

  /** About one connection, not about the message (RFC 9110, 7.6.1). */
  private static final Set<String> HOP_BY_HOP =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  /** Secrets of the first caller, and what is true of one moment or one message only. */
  private static final Set<String> NOT_RECORDED =
      Set.of(
          "set-cookie",
          "set-cookie2",
          "authorization",
          "www-authenticate",
          "authentication-info",
          "proxy-authentication-info",
          "date",
          "content-length");

  /** About a body that was not kept. */
  private static final Set<String> OF_THE_BODY =
      Set.of(
          "accept-ranges",
          "content-digest",
          "content-disposition",
          "content-encoding",
          "content-md5",
          "content-range",
          "content-type",
          "digest",
          "etag",
          "last-modified",
          "repr-digest");

  private FieldRules() {}

  /** Whether a field is about the connection; what {@code Connection} names is, too. */
  public static boolean isHopByHop(String name) {
    return HOP_BY_HOP.contains(name.toLowerCase(Locale.ROOT));
  }

  /** The names in {@code Connection} lines, in lower case. */
  public static Set<String> namedByConnection(List<String> connectionLines) {
    if (connectionLines.isEmpty()) {
      return Set.of();
    }
    Set<String> names = new HashSet<>();
    for (String line : connectionLines) {
      for (String name : line.split(",", -1)) {
        names.add(name.strip().toLowerCase(Locale.ROOT));
      }
    }
    return names;
  }

  /**
   * The headers of an answer that are kept for replays, separate and in order.
   *
   * @throws IllegalArgumentException if a field has a CR, LF or NUL: somebody splits responses
   */
  static List<Header> recordable(List<Header> headers, String marker) {
    List<String> connection = new ArrayList<>();
    for (Header header : headers) {
      if (header.name().equalsIgnoreCase("connection")) {
        connection.add(header.value());
      }
    }
    Set<String> named = namedByConnection(connection);
    List<Header> kept = new ArrayList<>(headers.size());
    for (Header header : headers) {
      String name = header.name().toLowerCase(Locale.ROOT);
      if (!HOP_BY_HOP.contains(name)
          && !NOT_RECORDED.contains(name)
          && !named.contains(name)
          && !name.equalsIgnoreCase(marker)) {
        kept.add(checked(header));
      }
    }
    return kept;
  }

  /** What is still true of an answer whose body was not kept. */
  static List<Header> withoutBody(List<Header> headers) {
    return headers.stream()
        .filter(header -> !OF_THE_BODY.contains(header.name().toLowerCase(Locale.ROOT)))
        .toList();
  }

  /** The same field; or none, if it would end early. */
  static Header checked(Header header) {
    String value = header.value();
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '\r' || c == '\n' || c == 0) {
        throw new IllegalArgumentException(
            "header %s: a CR, LF or NUL at %d (expected: none)".formatted(header.name(), i));
      }
    }
    Tokens.check("header", header.name());
    return header;
  }
}
