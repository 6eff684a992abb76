package dev.once.http.gateway.config;

import dev.once.http.semantics.RoutePattern;

/**
 * A route as it was written.
 *
 * @param given its values, and a profile where it does not start from the policy of everything
 */
record RouteEntry(RoutePattern pattern, GivenValue match, Layer given) {}
