package dev.once.http.semantics;

import dev.once.core.Bytes;
import dev.once.core.Fingerprint;
import dev.once.core.Scope;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whose key it is, read from the request. Secrets (tokens, cookies) are hashed, so that none is
 * stored.
 *
 * @param tenantHeader names the tenant, and must be there; null for one tenant
 * @param user where the user is read from
 * @param name the header or cookie that {@code user} speaks of; null for the others
 */
public record ScopeRule(@Nullable String tenantHeader, User user, @Nullable String name)
    implements Scopes {

  /** Where the user is read from. */
  public enum User {
    /** The whole {@code Authorization} header: right for API keys, wrong for tokens that rotate. */
    AUTHORIZATION,
    /** A header that something in front of this server sets, and that clients cannot. */
    HEADER,
    /** A cookie, such as a session's. */
    COOKIE,
    /** Nobody: all callers share one space of keys. */
    NONE
  }

  /** One tenant; callers are told apart by their {@code Authorization}. */
  public static final ScopeRule DEFAULT = new ScopeRule(null, User.AUTHORIZATION, null);

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
    return new ScopeRule(header, user, name);
  }

  public ScopeRule withUser(User source, @Nullable String named) {
    return new ScopeRule(tenantHeader, source, named);
  }

  /** The scope of a request; null if its tenant's header is not there. */
  @Override
  public @Nullable Scope of(RequestHead head) {
    String tenant = "";
    if (tenantHeader != null) {
      List<String> lines = head.headers(tenantHeader);
      if (lines.size() != 1 || lines.get(0).isBlank()) {
        return null;
      }
      tenant = bounded(lines.get(0).strip());
    }
    return new Scope(tenant, userOf(head), "");
  }

  @Override
  public String tenantMissing() {
    return "The header " + tenantHeader + " is required, once.";
  }

  private String userOf(RequestHead head) {
    List<String> lines =
        switch (user) {
          case AUTHORIZATION -> head.headers("Authorization");
          case HEADER -> head.headers(named());
          case COOKIE -> cookies(head.headers("Cookie"), named());
          case NONE -> List.of();
        };
    if (lines.isEmpty()) {
      return "";
    }
    return user == User.HEADER ? bounded(String.join(",", lines)) : hashed(lines);
  }

  private String named() {
    return name == null ? "" : name;
  }

  private static List<String> cookies(List<String> lines, String name) {
    return lines.stream()
        .flatMap(line -> List.of(line.split(";", -1)).stream())
        .map(String::strip)
        .filter(pair -> pair.startsWith(name + "="))
        .toList();
  }

  private static String bounded(String value) {
    return value.length() <= Scope.MAX_PART_LENGTH ? value : hashed(List.of(value));
  }

  private static String hashed(List<String> lines) {
    Bytes[] parts = lines.stream().map(Bytes::utf8).toArray(Bytes[]::new);
    return "sha256:" + Fingerprint.of(parts).hash().toHex();
  }
}
