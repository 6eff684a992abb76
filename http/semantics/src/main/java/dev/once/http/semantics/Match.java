package dev.once.http.semantics;

import org.jspecify.annotations.Nullable;

/**
 * The policy that a request is under, and the route that says so.
 *
 * @param route a pattern, such as {@code POST /payments/**}: one of a few, whatever clients send
 * @param ambiguity why the request could be taken for one under another policy; null if it could
 *     not
 */
public record Match(HttpPolicy policy, String route, @Nullable String ambiguity) {

  /** The route of what no other route names. */
  public static final String EVERYTHING_ELSE = "* /**";

  public Match(HttpPolicy policy, String route) {
    this(policy, route, null);
  }
}
