/** What a store implements: {@link dev.once.core.store.Store} and the values it takes and gives. */
@NullMarked
package dev.once.core.store;

import org.jspecify.annotations.NullMarked;
