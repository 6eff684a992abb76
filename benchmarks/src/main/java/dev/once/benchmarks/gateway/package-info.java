/**
 * The gateway under load, each figure next to the bare thing in the same run; {@link
 * dev.once.benchmarks.gateway.GatewayReport} runs all of it.
 */
@NullMarked
package dev.once.benchmarks.gateway;

import org.jspecify.annotations.NullMarked;
