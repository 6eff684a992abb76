package dev.once.examples.payments;

import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;

/**
 * Stands for a card network. The card says how it answers: {@code tok_declined}, {@code
 * tok_offline}, {@code tok_slow}; all others are good. A real network is outside of our
 * transaction: send it the idempotency key, too.
 */
@Component
class Cards {

  private final Duration slowness;

  Cards(@Value("${payments.slow-card}") Duration slowness) {
    this.slowness = slowness;
  }

  /** Moves money from or to a card. */
  void move(String card) {
    switch (card) {
      case "tok_declined" ->
          throw new ResponseStatusException(HttpStatus.PAYMENT_REQUIRED, "The card was declined.");
      case "tok_offline" ->
          throw new ResponseStatusException(
              HttpStatus.BAD_GATEWAY, "The card network does not answer.");
      case "tok_slow" -> takeTime();
      default -> {}
    }
  }

  private void takeTime() {
    try {
      Thread.sleep(slowness.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, "We are closing.");
    }
  }
}
