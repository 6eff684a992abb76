package dev.once.examples.payments;

import dev.once.spring.Idempotent;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import java.net.URI;
import java.security.Principal;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** What clients can ask for. Amounts are in cents. */
@RestController
@Tag(name = "Payments")
class PaymentsController {

  record NewCharge(
      @NotNull @Positive @Max(1_000_000) @Schema(example = "1500") Long amount,
      @NotNull @Pattern(regexp = "tok_\\w+") @Schema(example = "tok_visa") String card,
      @Nullable @Size(max = 140) @Schema(example = "order 1") String reference) {}

  record NewRefund(
      @NotNull @Positive @Schema(example = "500") Long amount,
      @Nullable @Size(max = 140) @Schema(example = "too small") String reason) {}

  record Event(
      @NotNull @Pattern(regexp = "payout") @Schema(example = "payout") String type,
      @NotNull @Schema(example = "alice") String account,
      @NotNull @Positive @Schema(example = "700") Long amount) {}

  record ChargeView(long id, long amount, long refunded, String card, @Nullable String reference) {
    static ChargeView of(Charge charge) {
      return new ChargeView(
          charge.id(), charge.amount(), charge.refunded(), charge.card(), charge.reference());
    }
  }

  record LedgerView(long balance, List<EntryView> entries) {}

  record EntryView(long id, String what, long amount) {}

  private final Cards cards;
  private final Ledger ledger;

  PaymentsController(Cards cards, Ledger ledger) {
    this.cards = cards;
    this.ledger = ledger;
  }

  /** The key and the ledger commit together: a crash leaves both or neither. */
  @PostMapping("/charges")
  @ResponseStatus(HttpStatus.CREATED)
  @Idempotent(sameTransaction = true)
  @Operation(summary = "Takes money from a card")
  @ApiResponse(
      responseCode = "402",
      description = "The card was declined.",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_PROBLEM_JSON_VALUE,
              schema = @Schema(implementation = ProblemDetail.class)))
  ResponseEntity<ChargeView> charge(@Valid @RequestBody NewCharge asked, Principal user) {
    cards.charge(asked.card());
    Charge charge = ledger.charge(user.getName(), asked.card(), asked.amount(), asked.reference());
    return ResponseEntity.created(URI.create("/charges/" + charge.id()))
        .body(ChargeView.of(charge));
  }

  /** Nothing to see of keys: a POST is in scope by itself, and runs under a lease. */
  @PostMapping("/charges/{id}/refunds")
  @ResponseStatus(HttpStatus.CREATED)
  @Operation(summary = "Gives some of it back")
  ChargeView refund(@PathVariable long id, @Valid @RequestBody NewRefund asked, Principal user) {
    cards.refund(ledger.find(user.getName(), id).card());
    return ChargeView.of(ledger.refund(user.getName(), id, asked.amount()));
  }

  /** The key is the provider's event id: application.yaml has a route for it. */
  @PostMapping("/webhooks/{provider}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(summary = "Is told by a provider what has happened")
  void webhook(@PathVariable String provider, @Valid @RequestBody Event event) {
    ledger.payOut(provider, event.account(), event.amount());
  }

  @GetMapping("/charges/{id}")
  @Operation(summary = "Shows a charge")
  ChargeView charge(@PathVariable long id, Principal user) {
    return ChargeView.of(ledger.find(user.getName(), id));
  }

  @GetMapping("/ledger")
  @Operation(summary = "Shows all that came and went")
  LedgerView ledger(Principal user) {
    return ledger.view(user.getName());
  }

  @ExceptionHandler
  ProblemDetail invalid(MethodArgumentNotValidException e) {
    return ProblemDetail.forStatusAndDetail(
        HttpStatus.BAD_REQUEST,
        e.getFieldErrors().stream()
            .map(error -> error.getField() + ": " + error.getDefaultMessage())
            .sorted()
            .collect(Collectors.joining("; ")));
  }
}
