/** What surfaces are built from: servers, filters and interceptors that bring operations in. */
@NullMarked
package dev.once.core.spi;

import org.jspecify.annotations.NullMarked;
