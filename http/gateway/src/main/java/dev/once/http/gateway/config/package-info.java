/**
 * What a gateway is told, from flags, a file and the environment; {@link
 * dev.once.http.gateway.config.Configuration} is the way in.
 */
@NullMarked
package dev.once.http.gateway.config;

import org.jspecify.annotations.NullMarked;
