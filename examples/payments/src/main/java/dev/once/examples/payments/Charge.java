package dev.once.examples.payments;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;

/** Money taken from a card, of which some may have gone back. */
@Entity
class Charge {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private long id;

  private String account;
  private String card;
  private long amount;
  private long refunded;
  private @Nullable String reference;

  @SuppressWarnings("NullAway.Init") // by JPA
  protected Charge() {}

  Charge(String account, String card, long amount, @Nullable String reference) {
    this.account = account;
    this.card = card;
    this.amount = amount;
    this.reference = reference;
  }

  long id() {
    return id;
  }

  String account() {
    return account;
  }

  String card() {
    return card;
  }

  long amount() {
    return amount;
  }

  long refunded() {
    return refunded;
  }

  @Nullable String reference() {
    return reference;
  }

  /** False if there is not so much left. */
  boolean refund(long cents) {
    if (cents > amount - refunded) {
      return false;
    }
    refunded += cents;
    return true;
  }
}
