package dev.once.http.semantics;

import dev.once.core.Bytes;
import dev.once.core.Fingerprint;
import dev.once.core.Scope;
import dev.once.http.semantics.text.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Whose key it is, read from the request. What names a user may be a secret (a token, an API key, a
 * session), so it is hashed, and none is stored.
 *
 * @param tenantHeader names the tenant, and must be there; null for one tenant
 * @param user where the user is read from
 * @param name the header or cookie that {@code user} speaks of; null for {@code Authorization}
 * @param anonymous whether callers that show no identity share one space of keys; else they are
 *     refused
 */
public record ScopeRule(
    @Nullable String tenantHeader, User user, @Nullable String name, boolean anonymous) {

  private static final String HASHED = "sha256:";
  private static final String BY_HEADER = "header:";

  /** Where the user is read from. */
  public enum User {
    /** The whole {@code Authorization} header: right for API keys, wrong for tokens that rotate. */
    AUTHORIZATION,
    /** A header that something in front of this server sets, or a secret that callers send. */
    HEADER,
    /** A cookie, such as a session's. */
    COOKIE
  }

  /**
   * One tenant; callers are told apart by their {@code Authorization}, and those without one share
   * a space. That is for a filter inside an application, which lets in whom it knows. A server in
   * front of others does not know them, and should be {@linkplain #withAnonymous(boolean) told} to
   * refuse.
   */
  public static final ScopeRule DEFAULT = new ScopeRule(null, User.AUTHORIZATION, null, true);

  public ScopeRule {
    if (tenantHeader != null) {
      Tokens.check("tenant-header", tenantHeader);
    }
    boolean needsName = user == User.HEADER || user == User.COOKIE;
    if (needsName != (name != null)) {
      throw new IllegalArgumentException(
          "scope: user by " + user + " named " + name + " (expected: a name for HEADER, COOKIE)");
    }
    if (name != null) {
      Tokens.check(user == User.HEADER ? "user-header" : "user-cookie", name);
    }
  }

  public ScopeRule withTenantHeader(String header) {
    return new ScopeRule(header, user, name, anonymous);
  }

  public ScopeRule withUser(User source, @Nullable String named) {
    return new ScopeRule(tenantHeader, source, named, anonymous);
  }

  public ScopeRule withAnonymous(boolean allowed) {
    return new ScopeRule(tenantHeader, user, name, allowed);
  }

  /** Whose request it is. */
  public Caller caller(RequestHead head) {
    Scope scope = of(head);
    String unknown = scope == null ? null : callerUnknown(head);
    return unknown == null
        ? Caller.of(scope, tenantMissing())
        : new Caller.Unknown(ProblemType.CALLER_UNKNOWN, unknown);
  }

  /** The scope of a request; null if its tenant's header is not there. */
  public @Nullable Scope of(RequestHead head) {
    String tenant = "";
    if (tenantHeader != null) {
      List<String> lines = head.headers(tenantHeader);
      if (lines.size() != 1 || lines.get(0).isBlank()) {
        return null;
      }
      tenant = bounded(lines.get(0).strip());
    }
    List<String> shown = shown(head);
    return new Scope(tenant, isAnonymous(shown) ? "" : hashed(shown), "");
  }

  /**
   * The scope of a caller whom an application may know: a principal's is its name; of anyone else,
   * what headers say, behind a prefix. Whoever is not authenticated may say anything there, and
   * must not get a principal's answers by saying its name.
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

  /** What to tell a client whose tenant cannot be told. */
  public String tenantMissing() {
    return "The header " + tenantHeader + " is required, once.";
  }

  private @Nullable String callerUnknown(RequestHead head) {
    List<String> shown = shown(head);
    if (shown.size() > 1) {
      return "Callers are told apart by %s, and the request has several: send one."
          .formatted(describe());
    }
    return !anonymous && isAnonymous(shown)
        ? ("With a key, callers are told apart by %s, and the request has none. Operators: name"
                + " what tells callers apart (--user-header, --user-cookie), or let those without"
                + " it share one space of keys (--anonymous).")
            .formatted(describe())
        : null;
  }

  private static boolean isAnonymous(List<String> shown) {
    for (String value : shown) {
      if (!value.isEmpty()) {
        return false;
      }
    }
    return true;
  }

  private String describe() {
    return switch (user) {
      case AUTHORIZATION -> "their Authorization";
      case HEADER -> "the header " + name;
      case COOKIE -> "the cookie " + name;
    };
  }

  /** What names the caller: one value; or none, one that is empty, or too many. */
  private List<String> shown(RequestHead head) {
    return switch (user) {
      case AUTHORIZATION -> stripped(head.headers("Authorization"));
      case HEADER -> stripped(head.headers(named()));
      case COOKIE -> cookies(head.headers("Cookie"), named());
    };
  }

  private String named() {
    return name == null ? "" : name;
  }

  private static List<String> stripped(List<String> lines) {
    return switch (lines.size()) {
      case 0 -> lines;
      case 1 -> List.of(lines.get(0).strip());
      default -> lines.stream().map(String::strip).toList();
    };
  }

  /** The different values of a cookie; some servers take the first one, others the last. */
  private static List<String> cookies(List<String> lines, String name) {
    List<String> values = new ArrayList<>(1);
    for (String line : lines) {
      for (String pair : line.split(";", -1)) {
        int equals = pair.indexOf('=');
        if (equals >= 0 && pair.substring(0, equals).strip().equals(name)) {
          String value = withoutQuotes(pair.substring(equals + 1).strip());
          if (!values.contains(value)) {
            values.add(value);
          }
          if (values.size() > 1) {
            return values; // refused, however many more there are
          }
        }
      }
    }
    return values;
  }

  private static String withoutQuotes(String value) {
    boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
    return quoted ? value.substring(1, value.length() - 1) : value;
  }

  /** As it is, unless it is too long, or could be taken for one that was. */
  private static String bounded(String value) {
    return value.length() <= Scope.MAX_PART_LENGTH && !value.startsWith(HASHED)
        ? value
        : hashed(value);
  }

  /**
   * The same text in two places does not make one caller: a header has its name beside it, a cookie
   * within, and {@code Authorization}, which stands alone, has a part less than a header. The last
   * two are as in every version before, or a retry over an upgrade would run again.
   */
  private String hashed(List<String> values) {
    List<Bytes> parts = new ArrayList<>(values.size() + 2);
    if (user == User.HEADER || values.size() > 1) {
      parts.add(Bytes.utf8(user.name()));
      parts.add(Bytes.utf8(named().toLowerCase(Locale.ROOT)));
    }
    String before = user == User.COOKIE ? named() + "=" : "";
    values.forEach(value -> parts.add(Bytes.utf8(before + value)));
    return HASHED + Fingerprint.of(parts.toArray(Bytes[]::new)).hash().toHex();
  }
}
