/**
 * Same-transaction mode: key, writes and answer commit together; and whose transaction a method is
 * called in.
 */
@NullMarked
package dev.once.spring.transaction;

import org.jspecify.annotations.NullMarked;
