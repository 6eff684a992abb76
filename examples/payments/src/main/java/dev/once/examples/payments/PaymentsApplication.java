package dev.once.examples.payments;

import io.swagger.v3.oas.annotations.OpenAPIDefinition;
import io.swagger.v3.oas.annotations.enums.SecuritySchemeType;
import io.swagger.v3.oas.annotations.info.Info;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import io.swagger.v3.oas.annotations.security.SecurityScheme;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** A small payments service. That things happen once is the starter's part: see the README. */
@SpringBootApplication
@OpenAPIDefinition(
    info =
        @Info(
            title = "Payments",
            version = "1",
            description =
                "Authorize as alice:alice or bob:bob, execute something twice, and look at the"
                    + " answer's headers and at the ledger. Cards: tok_visa, tok_declined, tok_slow,"
                    + " tok_offline, tok_oneway (no refunds)."),
    security = @SecurityRequirement(name = "basic"))
@SecurityScheme(name = "basic", type = SecuritySchemeType.HTTP, scheme = "basic")
public class PaymentsApplication {

  public static void main(String... args) {
    String port = start(args).getEnvironment().getProperty("local.server.port", "");
    System.out.println(
        """

        Payments are taken at http://localhost:8080, and PostgreSQL keeps them.
          Swagger UI  http://localhost:8080/swagger-ui.html
          users       alice:alice and bob:bob; cardnet:cardnet sends webhooks

        Send each of these twice, and look at the answer's headers and at the ledger:
          curl -i -u alice:alice localhost:8080/charges -H 'Idempotency-Key: order-1' --json '{"amount": 1500, "card": "tok_visa"}'
          curl -i -u cardnet:cardnet localhost:8080/webhooks/cardnet -H 'X-Event-Id: evt-1' --json '{"type": "payout", "account": "alice", "amount": 500}'
          curl -u alice:alice localhost:8080/ledger

        Ctrl-C ends it. A database that it has started itself is gone then."""
            .replace("8080", port));
  }

  static ConfigurableApplicationContext start(String... args) {
    return SpringApplication.run(PaymentsApplication.class, args);
  }
}
