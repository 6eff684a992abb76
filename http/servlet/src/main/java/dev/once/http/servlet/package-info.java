/** Once as a Jakarta Servlet filter; {@link dev.once.http.servlet.OnceFilter} is the way in. */
@NullMarked
package dev.once.http.servlet;

import org.jspecify.annotations.NullMarked;
