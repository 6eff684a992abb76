package dev.once.http.gateway;

import dev.once.http.semantics.FieldRules;
import dev.once.http.semantics.RequestHead;
import dev.once.http.semantics.Routes;
import dev.once.http.semantics.ScopeRule;
import java.util.HashMap;
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

  /** Only the gateway may say these. */
  private static final Set<String> OWN = Set.of("idempotency-fence", "idempotency-attempt");

  /** Where a request came from, or what it was before: only proxies that are trusted may say so. */
  private static final Set<String> OF_PROXIES =
      Set.of("forwarded", "x-real-ip", "x-original-url", "x-rewrite-url");

  private static final String FORWARDED = "x-forwarded-";

  private final TrustedProxies proxies;

  /** The names by which requests are judged, by their name as a variable. */
  private final Map<String, String> judged = new HashMap<>();

  ClientFields(TrustedProxies proxies, ScopeRule scopes, Routes routes) {
    this.proxies = proxies;
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
      judged.put(variable(lower), lower);
    }
  }

  /** Whether a client is a proxy that may speak for others; its address is asked for if needed. */
  boolean areFromProxy(RequestHead client) {
    return !proxies.ranges().isEmpty() && proxies.contains(client.client());
  }

  /** Whether a field goes on to the service, but for what is about the connection. */
  boolean pass(String lowerName, boolean fromProxy) {
    String variable = variable(lowerName);
    if (OWN.contains(variable)) {
      return false;
    }
    String exact = judged.get(variable);
    if (exact != null) {
      return exact.equals(lowerName);
    }
    boolean ofProxies = variable.startsWith(FORWARDED) || OF_PROXIES.contains(variable);
    return !ofProxies || (fromProxy && variable.equals(lowerName));
  }

  /** Whether the rules judge by a field, in any spelling. */
  boolean isJudged(String lowerName) {
    return judged.containsKey(variable(lowerName));
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
