/** What an application uses: operations, policies, and {@link dev.once.core.Once} to run them. */
@NullMarked
package dev.once.core;

import org.jspecify.annotations.NullMarked;
