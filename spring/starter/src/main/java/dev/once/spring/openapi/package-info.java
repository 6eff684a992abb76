/** What keys mean for each endpoint, in the application's OpenAPI description. */
@NullMarked
package dev.once.spring.openapi;

import org.jspecify.annotations.NullMarked;
