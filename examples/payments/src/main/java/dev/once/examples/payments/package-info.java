/** Charges, refunds and webhooks, each of which happens once. */
@NullMarked
package dev.once.examples.payments;

import org.jspecify.annotations.NullMarked;
