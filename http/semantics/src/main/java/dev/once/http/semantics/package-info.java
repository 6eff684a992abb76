/**
 * What an idempotency key means over HTTP, without a server; {@link dev.once.http.semantics.Rules}
 * is the way in.
 */
@NullMarked
package dev.once.http.semantics;

import org.jspecify.annotations.NullMarked;
