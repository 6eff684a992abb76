package consumer.jackson3;

import tools.jackson.databind.json.JsonMapper;
import dev.once.codecs.jackson.Jackson3Codecs;
import dev.once.codecs.jackson.JacksonCodecs;
import dev.once.core.Codec;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Scope;
import dev.once.core.store.MemoryStore;
import java.util.List;

final class Main {

  private static int charges;

  private Main() {}

  record Receipt(String text, int charge) {}

  public static void main(String[] arguments) throws Exception {
    for (JacksonCodecs codecs :
        List.of(JacksonCodecs.create(), new Jackson3Codecs(JsonMapper.builder().build()))) {
      Codec<Receipt> receipts = codecs.of(Receipt.class);
      try (MemoryStore store = new MemoryStore();
          Once once = Once.on(store)) {
        for (int i = 0; i < 2; i++) {
          Operation payment =
              Operation.of(Scope.of("acme", "alice"), "key-1", "POST", "/payments", "10 EUR");
          System.out.println(once.call(payment, receipts, () -> new Receipt("paid", ++charges)));
        }
      }
    }
  }
}
