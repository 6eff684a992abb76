package dev.once.http.gateway;

import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.RequestHead;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Lets pages send keys and read markers. Who may call is the upstream's to say: to what it allows,
 * the names of the headers are added. For origins that the operator names, the gateway answers
 * preflights itself, and its own refusals can be read.
 *
 * @param origins {@code *} for all
 */
record Cors(List<String> origins) {

  private static final String FOR_TEN_MINUTES = "600";

  private boolean names(@Nullable String origin) {
    return origin != null && (origins.contains(origin) || origins.contains("*"));
  }

  /** The method that a request is about: that of a preflight is the one it asks for. */
  static String method(RequestHead head) {
    String asked =
        head.method().equals("OPTIONS") ? head.header("Access-Control-Request-Method") : null;
    return asked == null ? head.method() : asked;
  }

  /** Whether a request is a preflight that the gateway answers. */
  boolean isOwnPreflight(RequestHead head) {
    return head.method().equals("OPTIONS")
        && head.header("Access-Control-Request-Method") != null
        && names(head.header("Origin"));
  }

  /** The answer to it, with status 204. */
  void answerPreflight(RequestHead head, MultiMap to) {
    allowOrigin(head, to);
    copy(head, "Access-Control-Request-Method", to, HttpHeaders.ACCESS_CONTROL_ALLOW_METHODS);
    copy(head, "Access-Control-Request-Headers", to, HttpHeaders.ACCESS_CONTROL_ALLOW_HEADERS);
    to.set(HttpHeaders.ACCESS_CONTROL_MAX_AGE, FOR_TEN_MINUTES);
  }

  private static void copy(RequestHead head, String from, MultiMap to, CharSequence name) {
    String value = head.header(from);
    if (value != null) {
      to.set(name, value);
    }
  }

  /** For an answer of the upstream, or a replay of one. */
  void onAnswer(RequestHead head, HttpPolicy policy, MultiMap to) {
    if (head.header("Origin") == null) {
      return;
    }
    if (!to.contains(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN)) {
      if (!names(head.header("Origin"))) {
        return;
      }
      allowOrigin(head, to);
    }
    if (head.method().equals("OPTIONS")) {
      extend(to, HttpHeaders.ACCESS_CONTROL_ALLOW_HEADERS, policy.keyHeader());
    } else {
      extend(to, HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, policy.marker());
      extend(to, HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, "Retry-After");
    }
  }

  private void allowOrigin(RequestHead head, MultiMap to) {
    String origin = String.valueOf(head.header("Origin"));
    to.set(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    if (origins.contains(origin)) {
      to.set(HttpHeaders.ACCESS_CONTROL_ALLOW_CREDENTIALS, "true");
    }
    to.add(HttpHeaders.VARY, "Origin");
  }

  private static void extend(MultiMap to, CharSequence list, String name) {
    String known = String.join(", ", to.getAll(list));
    String lower = known.toLowerCase(Locale.ROOT);
    boolean there = List.of(lower.split("[, ]+", -1)).contains(name.toLowerCase(Locale.ROOT));
    if (!there && !lower.equals("*")) {
      to.set(list, known.isEmpty() ? name : known + ", " + name);
    }
  }
}
