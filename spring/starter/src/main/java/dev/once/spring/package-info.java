/**
 * Once in a Spring Boot application: the dependency alone puts the filter, the store and {@link
 * dev.once.spring.Idempotent} in place.
 */
@NullMarked
package dev.once.spring;

import org.jspecify.annotations.NullMarked;
