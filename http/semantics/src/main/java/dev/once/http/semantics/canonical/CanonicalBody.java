package dev.once.http.semantics.canonical;

import dev.once.core.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request as its fingerprint sees it: in one form for all spellings that mean the
 * same.
 *
 * <ul>
 *   <li>JSON ({@code application/json} and types that end in {@code +json}) in the form of RFC
 *       8785.
 *   <li>A form ({@code application/x-www-form-urlencoded}) encoded in one way, and sorted by name
 *       where that cannot change what it means.
 *   <li>A body of several parts ({@code multipart/*}) without its boundary.
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
    /** Pairs, sorted by name where that cannot change what they mean. */
    FORM,
    /** Parts, without the boundary between them. */
    MULTIPART,
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
    return ofType(MediaType.of(contentType), contentEncoding, body);
  }

  /** The same, if the type has been read already. */
  public static CanonicalBody ofType(MediaType type, @Nullable String contentEncoding, Bytes body) {
    if (body.size() == 0) {
      return new CanonicalBody(Kind.EMPTY, Bytes.EMPTY);
    }
    Kind kind = isIdentity(contentEncoding) ? kind(type) : Kind.RAW;
    Bytes canonical =
        switch (kind) {
          case JSON -> CanonicalJson.of(body);
          case FORM -> CanonicalForm.of(body);
          case MULTIPART -> CanonicalMultipart.of(body, type.boundary());
          case EMPTY, RAW -> null;
        };
    return canonical == null
        ? new CanonicalBody(Kind.RAW, body)
        : new CanonicalBody(kind, canonical);
  }

  /** Whether a body is as it is, and not compressed. */
  public static boolean isIdentity(@Nullable String contentEncoding) {
    return contentEncoding == null
        || contentEncoding.isBlank()
        || contentEncoding.trim().equalsIgnoreCase("identity");
  }

  private static Kind kind(MediaType type) {
    if (type.isMultipart()) {
      return Kind.MULTIPART;
    }
    if (!type.isUtf8()) {
      return Kind.RAW;
    }
    return type.isJson() ? Kind.JSON : type.isForm() ? Kind.FORM : Kind.RAW;
  }
}
