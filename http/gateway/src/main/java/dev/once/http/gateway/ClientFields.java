package dev.once.http.gateway;

import dev.once.http.semantics.FieldRules;
import dev.once.http.semantics.RequestHead;
import dev.once.http.semantics.Routes;
import dev.once.http.semantics.ScopeRule;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which fields of a client the service may see. Servers like CGI show fields as variables, in which
 * {@code X-User}, {@code X_User} and {@code x.user} are one: what only the gateway may say, or what
 * it judged by, must not come in another spelling too.
 */
final class ClientFields {

  /** What becomes of a field, by its name as a variable. */
  private enum Kind {
    /** Only the gateway may say it. */
    OWN,
    /** Requests are judged by it: it passes in one spelling. */
    JUDGED,
    /** Where a request came from, or what it was before: only trusted proxies may say so. */
    OF_PROXIES,
    OTHER
  }

  private static final String FORWARDED = "x-forwarded-";

  private final TrustedProxies proxies;
  private final Map<String, Kind> kinds = new HashMap<>();

  /** The names by which requests are judged. */
  private final Set<String> judged = new HashSet<>();

  ClientFields(TrustedProxies proxies, ScopeRule scopes, Routes routes) {
    this.proxies = proxies;
    List.of("idempotency-fence", "idempotency-attempt").forEach(own -> kinds.put(own, Kind.OWN));
    List.of("forwarded", "x-real-ip", "x-original-url", "x-rewrite-url")
        .forEach(name -> kinds.put(name, Kind.OF_PROXIES));
    FieldRules.METHOD_FIELDS.forEach(this::judgedBy);
    judgedBy(scopes.tenantHeader());
    if (scopes.user() == ScopeRule.User.HEADER) {
      judgedBy(scopes.name());
    }
    judgedBy(routes.base().keyHeader());
    routes.routes().forEach(route -> judgedBy(route.policy().keyHeader()));
  }

  private void judgedBy(@Nullable String name) {
    if (name != null) {
      String lower = name.toLowerCase(Locale.ROOT);
      judged.add(lower);
      kinds.merge(variable(lower), Kind.JUDGED, (is, now) -> is == Kind.OWN ? is : now);
    }
  }

  /** Whether a client is a proxy that may speak for others; its address is asked for if needed. */
  boolean isTrustedProxy(RequestHead client) {
    return !proxies.ranges().isEmpty() && proxies.contains(client.client());
  }

  /** Whether a field goes on to the service, but for what is about the connection. */
  boolean mayPass(String lowerName, boolean fromProxy) {
    String variable = variable(lowerName);
    return switch (kind(variable)) {
      case OWN -> false;
      case JUDGED -> judged.contains(lowerName);
      case OF_PROXIES -> fromProxy && variable.equals(lowerName);
      case OTHER -> true;
    };
  }

  private Kind kind(String variable) {
    Kind kind = kinds.get(variable);
    if (kind != null) {
      return kind;
    }
    return variable.startsWith(FORWARDED) ? Kind.OF_PROXIES : Kind.OTHER;
  }

  /** Whether the rules judge by a field, in any spelling. */
  boolean isJudged(String lowerName) {
    return kinds.get(variable(lowerName)) == Kind.JUDGED;
  }

  /** The name with hyphens for all that is neither a letter nor a digit; mostly the same. */
  private static String variable(String lowerName) {
    for (int i = 0; i < lowerName.length(); i++) {
      char c = lowerName.charAt(i);
      if (c != '-' && !isLetterOrDigit(c)) {
        StringBuilder variable = new StringBuilder(lowerName);
        for (int at = i; at < variable.length(); at++) {
          if (!isLetterOrDigit(variable.charAt(at))) {
            variable.setCharAt(at, '-');
          }
        }
        return variable.toString();
      }
    }
    return lowerName;
  }

  private static boolean isLetterOrDigit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  }
}
