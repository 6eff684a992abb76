package dev.once.examples.payments;

import dev.once.spring.Idempotent;
import io.swagger.v3.oas.annotations.Operation;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import java.net.URI;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** What clients can ask for. Amounts are in cents. */
@RestController
class PaymentsController {

  record NewCharge(
      @NotNull @Positive @Max(1_000_000) Long amount,
      @NotNull @Pattern(regexp = "tok_\\w+") String card,
      @Size(max = 140) @Nullable String reference) {}

  record ChargeView(
      long id, long amount, long refunded, String card, @Nullable String reference) {
    static ChargeView of(Charge charge) {
      return new ChargeView(
          charge.id(), charge.amount(), charge.refunded(), charge.card(), charge.reference());
    }
  }

  record NewRefund(
      @NotNull @Positive Long amount, @Size(max = 140) @Nullable String reason) {}

  record Event(
      @NotNull @Pattern(regexp = "payout") String type,
      @NotNull String account,
      @NotNull @Positive Long amount) {}

  record EntryView(long id, String what, long amount) {}

  record LedgerView(long balance, List<EntryView> entries) {}

  private final Cards cards;
  private final Ledger ledger;

  PaymentsController(Cards cards, Ledger ledger) {
    this.cards = cards;
    this.ledger = ledger;
  }

  /** The key and the ledger commit together: a crash leaves both or neither. */
  @PostMapping("/charges")
  @Idempotent(sameTransaction = true)
  @Operation(summary = "Takes money from a card")
  ResponseEntity<ChargeView> charge(@Valid @RequestBody NewCharge asked, Principal user) {
    cards.move(asked.card());
    Charge charge =
        ledger.charge(user.getName(), asked.card(), asked.amount(), asked.reference());
    return ResponseEntity.created(URI.create("/charges/" + charge.id()))
        .body(ChargeView.of(charge));
  }

  /** Nothing to see of keys: POST is in scope by itself, and runs under a lease. */
  @PostMapping("/charges/{id}/refunds")
  @Operation(summary = "Gives some of it back")
  ResponseEntity<ChargeView> refund(
      @PathVariable long id, @Valid @RequestBody NewRefund asked, Principal user) {
    cards.move(ledger.find(user.getName(), id).card());
    Charge charge = ledger.refund(user.getName(), id, asked.amount());
    return ResponseEntity.status(201).body(ChargeView.of(charge));
  }

  /** The key is the provider's event id: application.yaml has a route for it. */
  @PostMapping("/webhooks/{provider}")
  @Operation(summary = "Takes note of what a provider has done")
  ResponseEntity<Void> webhook(@PathVariable String provider, @Valid @RequestBody Event event) {
    ledger.payOut(event.account(), event.amount());
    return ResponseEntity.noContent().build();
  }

  @GetMapping("/charges/{id}")
  @Operation(summary = "One charge")
  ChargeView charge(@PathVariable long id, Principal user) {
    return ChargeView.of(ledger.find(user.getName(), id));
  }

  @GetMapping("/ledger")
  @Operation(summary = "All that came and went")
  LedgerView ledger(Principal user) {
    String account = user.getName();
    return new LedgerView(
        ledger.balance(account),
        ledger.entries(account).stream()
            .map(entry -> new EntryView(entry.id(), entry.what(), entry.amount()))
            .toList());
  }
}
