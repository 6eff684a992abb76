package dev.once.http.gateway;

import dev.once.http.semantics.FieldRules;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What {@code Connection} names stays at the gateway. A client must not name fields there that are
 * for the service (RFC 9110, 7.6.1): it would take away what others rely on, after it was judged.
 */
final class ConnectionField {

  private static final Set<String> FOR_THE_SERVICE =
      Set.of(
          "accept",
          "accept-encoding",
          "authorization",
          "cache-control",
          "cookie",
          "date",
          "expect",
          "forwarded",
          "host",
          "max-forwards",
          "origin",
          "range",
          "referer",
          "user-agent",
          "via");

  /** Families of such fields. */
  private static final List<String> BEGINNINGS =
      List.of(
          "access-control-", "content-", "idempotency-", "if-", "x-forwarded-", "x-idempotency-");

  private ConnectionField() {}

  /** The names in it, in lower case. */
  static Set<String> names(MultiMap headers) {
    return FieldRules.namedByConnection(headers.getAll(HttpHeaders.CONNECTION));
  }

  /** What is wrong with it; null if nothing is. */
  static @Nullable String findError(MultiMap headers, ClientFields fields) {
    for (String name : names(headers)) {
      if (FOR_THE_SERVICE.contains(name)
          || fields.isJudged(name)
          || BEGINNINGS.stream().anyMatch(name::startsWith)) {
        return "The Connection header names a field that is for the service.";
      }
    }
    return null;
  }
}
