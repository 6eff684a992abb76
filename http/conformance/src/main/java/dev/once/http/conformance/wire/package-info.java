/** Requests as they are sent, and answers as they come. */
@NullMarked
package dev.once.http.conformance.wire;

import org.jspecify.annotations.NullMarked;
