/** What {@code ./once} runs; {@link dev.once.cli.Main} is the way in. */
@NullMarked
package dev.once.cli;

import org.jspecify.annotations.NullMarked;
