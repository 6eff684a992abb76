/** A payment that is sent many times and taken once. */
@NullMarked
package dev.once.examples.quickstart;

import org.jspecify.annotations.NullMarked;
