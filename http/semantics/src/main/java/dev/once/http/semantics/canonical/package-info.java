/**
 * The bodies of requests in one form for all spellings that mean the same; {@link
 * dev.once.http.semantics.canonical.CanonicalBody} is the way in.
 */
@NullMarked
package dev.once.http.semantics.canonical;

import org.jspecify.annotations.NullMarked;
