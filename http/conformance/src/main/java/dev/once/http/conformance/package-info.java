/**
 * A black-box suite for servers that take idempotency keys: describe one as a {@link
 * dev.once.http.conformance.Target}, and {@link dev.once.http.conformance.Conformance} reports
 * which rules of draft-ietf-httpapi-idempotency-key-header-07 it keeps.
 */
@NullMarked
package dev.once.http.conformance;

import org.jspecify.annotations.NullMarked;
