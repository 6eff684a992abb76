/** What a run found, and writers for people and for programs. */
@NullMarked
package dev.once.http.conformance.report;

import org.jspecify.annotations.NullMarked;
