package dev.once.examples.payments;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;

/** Money that came or, if negative, went. Entries are only ever added. */
@Entity
class LedgerEntry {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private long id;

  private String account;
  private String what;
  private long amount;

  @SuppressWarnings("NullAway.Init") // by JPA
  protected LedgerEntry() {}

  LedgerEntry(String account, String what, long amount) {
    this.account = account;
    this.what = what;
    this.amount = amount;
  }

  long id() {
    return id;
  }

  String what() {
    return what;
  }

  long amount() {
    return amount;
  }

  @Override
  public String toString() {
    return account + ": " + what + " " + amount;
  }
}
