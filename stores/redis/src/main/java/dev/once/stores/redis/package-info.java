/** A store in Redis or Valkey. */
@NullMarked
package dev.once.stores.redis;

import org.jspecify.annotations.NullMarked;
