package dev.once.examples.payments;

import dev.once.examples.payments.PaymentsController.EntryView;
import dev.once.examples.payments.PaymentsController.LedgerView;
import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.server.ResponseStatusException;

/** The books. Nothing here knows of keys. */
@Service
@Transactional
class Ledger {

  private static final HttpStatusCode UNPROCESSABLE = HttpStatusCode.valueOf(422);

  private final EntityManager database;

  Ledger(EntityManager database) {
    this.database = database;
  }

  Charge charge(String account, String card, long amount, @Nullable String reference) {
    Charge charge = new Charge(account, card, amount, reference);
    database.persist(charge);
    book(account, "charge " + charge.id(), amount);
    return charge;
  }

  Charge refund(String account, long id, long amount) {
    Charge charge = find(account, id, LockModeType.PESSIMISTIC_WRITE);
    if (!charge.refund(amount)) {
      throw new ResponseStatusException(
          UNPROCESSABLE,
          "amount: %d (expected: at most %d, which is left of charge %d)"
              .formatted(amount, charge.amount() - charge.refunded(), id));
    }
    book(account, "refund of charge " + id, -amount);
    return charge;
  }

  void payOut(String provider, String account, long amount) {
    book(account, "payout by " + provider, -amount);
  }

  private void book(String account, String what, long amount) {
    locked(account).add(amount);
    database.persist(new LedgerEntry(account, what, amount));
  }

  private Account locked(String owner) {
    Account account = database.find(Account.class, owner, LockModeType.PESSIMISTIC_WRITE);
    if (account == null) {
      throw new ResponseStatusException(
          UNPROCESSABLE, "account: %s (expected: one that is there)".formatted(owner));
    }
    return account;
  }

  Charge find(String account, long id) {
    return find(account, id, LockModeType.NONE);
  }

  /** A charge of this account; of others' nobody learns. */
  private Charge find(String account, long id, LockModeType lock) {
    Charge charge = database.find(Charge.class, id, lock);
    if (charge == null || !charge.account().equals(account)) {
      throw new ResponseStatusException(HttpStatus.NOT_FOUND, "charge: " + id + " is not there");
    }
    return charge;
  }

  LedgerView view(String account) {
    long balance = locked(account).balance(); // so that no entry comes in between
    List<EntryView> entries =
        database
            .createQuery("from LedgerEntry where account = :account order by id", LedgerEntry.class)
            .setParameter("account", account)
            .getResultStream()
            .map(entry -> new EntryView(entry.id(), entry.what(), entry.amount()))
            .toList();
    return new LedgerView(balance, entries);
  }
}
