/** What every application gets, whichever surface it has: the store, the engine, the policies. */
@NullMarked
package dev.once.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
