package dev.once.spring;

import dev.once.core.Fingerprint;
import dev.once.core.Scope;
import org.jspecify.annotations.Nullable;

/**
 * The scope of a caller: a principal's is its name; of anyone else, what headers say, behind a
 * prefix. Whoever is not authenticated may say anything there, and must not get a principal's
 * answers by saying its name.
 */
public final class CallerScope {

  private static final String BY_HEADER = "header:";
  private static final String HASHED = "sha256:";

  private CallerScope() {}

  /**
   * The scope.
   *
   * @param principal its name; null if nobody is authenticated
   * @param byHeaders null if headers do not tell
   */
  public static Scope of(String tenant, @Nullable String principal, @Nullable Scope byHeaders) {
    String user =
        principal != null
            ? ofPrincipal(principal)
            : byHeaders(byHeaders == null ? "" : byHeaders.user());
    return new Scope(bounded(tenant, Scope.MAX_PART_LENGTH), user, "");
  }

  /** Its name, unless that could be taken for the scope of somebody else: of nobody, too. */
  private static String ofPrincipal(String name) {
    return name.isEmpty() || name.startsWith(BY_HEADER) || name.startsWith(HASHED)
        ? hashed(name)
        : bounded(name, Scope.MAX_PART_LENGTH);
  }

  private static String byHeaders(String user) {
    return user.isEmpty()
        ? ""
        : BY_HEADER + bounded(user, Scope.MAX_PART_LENGTH - BY_HEADER.length());
  }

  private static String bounded(String value, int max) {
    return value.length() <= max ? value : hashed(value);
  }

  private static String hashed(String value) {
    return HASHED + Fingerprint.of(value).hash().toHex();
  }
}
