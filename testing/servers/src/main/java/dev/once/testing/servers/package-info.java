/** Servers that tests run against, and ways to break them. */
@NullMarked
package dev.once.testing.servers;

import org.jspecify.annotations.NullMarked;
