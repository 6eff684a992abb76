/**
 * Builds the projects in {@code projects} as users would: against the published jars and poms, with
 * Maven, javac and java of their own processes.
 */
package dev.once.testing.consumers;
