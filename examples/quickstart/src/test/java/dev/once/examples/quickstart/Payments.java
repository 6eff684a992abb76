package dev.once.examples.quickstart;

import dev.once.codecs.jackson.JacksonCodecs;
import dev.once.core.Codec;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Scope;
import java.util.UUID;

/** Takes payments: each once, however often it is sent. */
class Payments {

  record Receipt(UUID id, int amount) {}

  private static final Codec<Receipt> RECEIPTS = JacksonCodecs.create().of(Receipt.class);

  private final Once once;

  Payments(Once once) {
    this.once = once;
  }

  Receipt pay(Scope caller, String idempotencyKey, int amount) throws Exception {
    Operation payment = Operation.of(caller, idempotencyKey, "pay", "EUR " + amount);
    return once.call(payment, RECEIPTS, () -> charge(amount));
  }

  private Receipt charge(int amount) {
    return new Receipt(UUID.randomUUID(), amount); // your own code
  }
}
