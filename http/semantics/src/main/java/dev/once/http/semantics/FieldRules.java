package dev.once.http.semantics;

import dev.once.core.Header;
import dev.once.http.semantics.text.Tokens;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Which header fields go where. */
public final class FieldRules {

  /** By which frameworks let a POST stand for another method. */
  public static final List<String> METHOD_FIELDS =
      List.of("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override");

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

  /** A name in lower case; most are, and then this is quick. */
  public static String lower(String name) {
    return Tokens.lower(name);
  }

  /**
   * Whether a field is about the connection (RFC 9110, 7.6.1); what {@code Connection} names is,
   * too.
   */
  public static boolean isHopByHop(String name) {
    return ReplayRule.of(name) == ReplayRule.OF_THE_CONNECTION;
  }

  /** The names in {@code Connection} lines, in lower case. */
  public static Set<String> namedByConnection(List<String> connectionLines) {
    if (connectionLines.isEmpty()) {
      return Set.of();
    }
    Set<String> names = new HashSet<>();
    for (String line : connectionLines) {
      for (String name : line.split(",", -1)) {
        names.add(Tokens.lower(name.strip()));
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
      String name = Tokens.lower(header.name());
      if (ReplayRule.of(name).isRecorded()
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
        .filter(header -> !OF_THE_BODY.contains(Tokens.lower(header.name())))
        .toList();
  }

  /**
   * Checks a field of a reply.
   *
   * @throws IllegalArgumentException if no server can send it, or if it says where the body ends
   */
  static void sendable(Header header) {
    checked(header);
    String name = Tokens.lower(header.name());
    if (name.equals("content-length") || name.equals("transfer-encoding")) {
      throw new IllegalArgumentException("header: " + name + " (expected: none; the body tells)");
    }
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
