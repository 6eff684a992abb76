package dev.once.http.conformance.rules;

import dev.once.http.conformance.wire.Exchange;

/** A first request that a check builds on, and that the server did not process. */
final class NotProcessedException extends Exception {

  private static final long serialVersionUID = 1L;

  NotProcessedException(Exchange exchange) {
    super("a first request was not processed: " + exchange.reply());
  }
}
