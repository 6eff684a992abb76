package dev.once.examples.payments;

import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;

/**
 * Stands for a card network. The card says how it answers: {@code tok_declined}, {@code
 * tok_offline}, {@code tok_slow}, {@code tok_oneway} that gives nothing back; all others are good.
 *
 * <p>A real network is outside of our transaction: it should be sent the idempotency key, too.
 */
@Component
class Cards {

  private final Duration slowness;

  Cards(@Value("${payments.slow-card}") Duration slowness) {
    this.slowness = slowness;
  }

  void charge(String card) {
    switch (card) {
      case "tok_declined" ->
          throw new ResponseStatusException(HttpStatus.PAYMENT_REQUIRED, "The card was declined.");
      case "tok_offline" -> throw noAnswer();
      case "tok_slow" -> takeTime();
      default -> {}
    }
  }

  void refund(String card) {
    switch (card) {
      case "tok_oneway" -> throw noAnswer();
      case "tok_slow" -> takeTime();
      default -> {}
    }
  }

  private static ResponseStatusException noAnswer() {
    return new ResponseStatusException(HttpStatus.BAD_GATEWAY, "The card network does not answer.");
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
