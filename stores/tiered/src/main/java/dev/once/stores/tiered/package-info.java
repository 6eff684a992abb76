/** Two stores as one. */
@NullMarked
package dev.once.stores.tiered;

import org.jspecify.annotations.NullMarked;
