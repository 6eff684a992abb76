/** Codecs that record values as JSON, by Jackson 2 or 3. */
@NullMarked
package dev.once.codecs.jackson;

import org.jspecify.annotations.NullMarked;
