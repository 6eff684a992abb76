/** The rules, and how each is checked. */
@NullMarked
package dev.once.http.conformance.rules;

import org.jspecify.annotations.NullMarked;
