/** Stores over JDBC; {@link dev.once.stores.jdbc.JdbcStore} is the way in. */
@NullMarked
package dev.once.stores.jdbc;

import org.jspecify.annotations.NullMarked;
