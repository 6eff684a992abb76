/** {@code @Idempotent} on methods of beans: a proxy makes an operation of each call. */
@NullMarked
package dev.once.spring.method;

import org.jspecify.annotations.NullMarked;
