package dev.once.http.semantics;

import dev.once.core.Bytes;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request as its fingerprint sees it: in one form for all spellings that mean the
 * same.
 *
 * <ul>
 *   <li>JSON ({@code application/json} and types that end in {@code +json}) in the form of RFC
 *       8785.
 *   <li>A form ({@code application/x-www-form-urlencoded}) sorted by name, and encoded in one way.
 *   <li>All else as it came: any other type, compressed or in a charset other than UTF-8, and what
 *       is not surely what its type says.
 * </ul>
 *
 * <p>Raw is always safe: at worst, a request that was written in another way counts as another.
 *
 * @param kind which form it is; to be hashed with the bytes, since those of two kinds may be equal
 * @param bytes the body in that form
 */
public record CanonicalBody(Kind kind, Bytes bytes) {

  /** The form that a body is in. */
  public enum Kind {
    /** There are no bytes, whatever the type. */
    EMPTY,
    /** RFC 8785. */
    JSON,
    /** Pairs, sorted by name; those of one name are in the order they came in. */
    FORM,
    /** As it came. */
    RAW
  }

  /**
   * The canonical form of a body; never fails.
   *
   * @param contentType the value of the header, null if there is none
   * @param contentEncoding the value of the header, null if there is none
   */
  public static CanonicalBody of(
      @Nullable String contentType, @Nullable String contentEncoding, Bytes body) {
    if (body.size() == 0) {
      return new CanonicalBody(Kind.EMPTY, Bytes.EMPTY);
    }
    Kind kind = isIdentity(contentEncoding) && contentType != null ? kind(contentType) : Kind.RAW;
    Bytes canonical =
        switch (kind) {
          case JSON -> CanonicalJson.of(body);
          case FORM -> CanonicalForm.of(body);
          case EMPTY, RAW -> null;
        };
    return canonical == null
        ? new CanonicalBody(Kind.RAW, body)
        : new CanonicalBody(kind, canonical);
  }

  private static boolean isIdentity(@Nullable String contentEncoding) {
    return contentEncoding == null
        || contentEncoding.isBlank()
        || contentEncoding.trim().equalsIgnoreCase("identity");
  }

  private static Kind kind(String contentType) {
    int semicolon = contentType.indexOf(';');
    int end = semicolon < 0 ? contentType.length() : semicolon;
    String[] halves = contentType.substring(0, end).trim().split("/", -1);
    // Only tokens: case would fold letters beyond ASCII into others.
    if (halves.length != 2
        || !Tokens.isToken(halves[0])
        || !Tokens.isToken(halves[1])
        || !isUtf8(contentType, end)) {
      return Kind.RAW;
    }
    String type = halves[0].toLowerCase(Locale.ROOT);
    String subtype = halves[1].toLowerCase(Locale.ROOT);
    if (subtype.endsWith("+json") || (type.equals("application") && subtype.equals("json"))) {
      return Kind.JSON;
    }
    return type.equals("application") && subtype.equals("x-www-form-urlencoded")
        ? Kind.FORM
        : Kind.RAW;
  }

  /** Whether the parameters, each after a semicolon, name no charset but UTF-8. */
  private static boolean isUtf8(String contentType, int start) {
    int at = start;
    while (at < contentType.length()) {
      int end = endOfParameter(contentType, at + 1);
      String parameter = contentType.substring(at + 1, end).trim();
      int equals = parameter.indexOf('=');
      String name = parameter.substring(0, Math.max(equals, 0));
      String value = parameter.substring(equals + 1);
      if (!parameter.isEmpty() && !Tokens.isToken(name)) {
        return false;
      }
      if (name.equalsIgnoreCase("charset")
          && !value.equalsIgnoreCase("utf-8")
          && !value.equalsIgnoreCase("\"utf-8\"")) {
        return false;
      }
      at = end;
    }
    return true;
  }

  /** The next semicolon outside of quotation marks, or the end. */
  private static int endOfParameter(String contentType, int start) {
    boolean quoted = false;
    for (int at = start; at < contentType.length(); at++) {
      char c = contentType.charAt(at);
      if (c == '"') {
        quoted = !quoted;
      } else if (c == '\\' && quoted) {
        at++;
      } else if (c == ';' && !quoted) {
        return at;
      }
    }
    return contentType.length();
  }
}
