/** Where keys are kept: the application's database or Redis, a URL, or a file. */
@NullMarked
package dev.once.spring.store;

import org.jspecify.annotations.NullMarked;
