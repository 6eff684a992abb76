/** What a whole build says at its end about the tests. */
@NullMarked
package dev.once.testing.summary;

import org.jspecify.annotations.NullMarked;
