/**
 * The servlet filter under load, each figure next to the same container without it; {@link
 * dev.once.benchmarks.servlet.ServletReport} runs all of it.
 */
@NullMarked
package dev.once.benchmarks.servlet;

import org.jspecify.annotations.NullMarked;
