/** A payments API that charges twice, and a gateway in front of it that does not. */
@NullMarked
package dev.once.cli.demo;

import org.jspecify.annotations.NullMarked;
