/**
 * The gateway under all attacks at once, next to honest clients; {@link
 * dev.once.benchmarks.soak.Soak} runs it and judges what is left.
 */
@NullMarked
package dev.once.benchmarks.soak;

import org.jspecify.annotations.NullMarked;
