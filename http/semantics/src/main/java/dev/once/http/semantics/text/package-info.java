/** The syntax of names in HTTP; not exported. */
@NullMarked
package dev.once.http.semantics.text;

import org.jspecify.annotations.NullMarked;
