/** Once in front of WebFlux. */
@NullMarked
package dev.once.spring.webflux;

import org.jspecify.annotations.NullMarked;
