/** Deterministic simulation of the engine; {@link dev.once.simulation.Simulation} is the entry. */
@NullMarked
package dev.once.simulation;

import org.jspecify.annotations.NullMarked;
