/** What stores are built from, and how they are found by their URLs. */
@NullMarked
package dev.once.core.store.spi;

import org.jspecify.annotations.NullMarked;
