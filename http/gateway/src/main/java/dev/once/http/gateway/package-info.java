/**
 * The gateway: Once in front of a service in any language; {@link dev.once.http.gateway.Gateway} is
 * the way in.
 */
@NullMarked
package dev.once.http.gateway;

import org.jspecify.annotations.NullMarked;
