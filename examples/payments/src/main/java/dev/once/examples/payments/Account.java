package dev.once.examples.payments;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Whose money it is. The balance is the sum of the account's ledger entries, always. */
@Entity
class Account {

  @Id private String owner;

  /** In cents, as all amounts. */
  private long balance;

  @SuppressWarnings("NullAway.Init") // by JPA
  protected Account() {}

  long balance() {
    return balance;
  }

  void add(long amount) {
    balance += amount;
  }

  @Override
  public String toString() {
    return owner + ": " + balance;
  }
}
