/** Metrics; {@link dev.once.ops.micrometer.OnceMetrics} is the way in. */
@NullMarked
package dev.once.ops.micrometer;

import org.jspecify.annotations.NullMarked;
