package dev.once.core;

import java.util.Objects;

/**
 * How an operation came in. Surface and route are words of low cardinality, fit to be the tags of a
 * metric: never a key, a user or a path with an id in it.
 *
 * @param surface the way in: {@code gateway}, {@code servlet}, {@code webflux}, {@code method},
 *     {@code call}, ...
 * @param route the pattern of a route, or the name of a method; empty if there is none
 * @param source describes the request in logs, by its {@code toString}; outlives the request
 */
public record Origin(String surface, String route, Object source) {

  /** A plain call of {@link Once}, or of a transaction. */
  public static final Origin CALL = new Origin("call", "", "");

  public Origin {
    Objects.requireNonNull(surface, "surface: null (expected: a word)");
    Objects.requireNonNull(route, "route: null (expected: a pattern, empty if there is none)");
    Objects.requireNonNull(source, "source: null (expected: what describes the request)");
  }
}
