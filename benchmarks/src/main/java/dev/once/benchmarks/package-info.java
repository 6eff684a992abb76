/** What Once costs, as ratios to the bare thing in the same run. */
@NullMarked
package dev.once.benchmarks;

import org.jspecify.annotations.NullMarked;
