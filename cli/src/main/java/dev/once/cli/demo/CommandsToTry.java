package dev.once.cli.demo;

import java.net.URI;

/** Commands to try, ready to be pasted into another terminal. */
public final class CommandsToTry {

  private CommandsToTry() {}

  public static String text(URI api, URI gateway, URI policyPage) {
    String pay =
        "curl -i %s/payments -H 'Content-Type: application/json' -H 'Idempotency-Key: my-key-1'"
            .formatted(gateway);
    return """
        Try it in another terminal:

          # the first charges, the second is a replay
          %1$s -d '{"amount":10}'
          %1$s -d '{ "amount": 10 }'

          # the same key for another payment: 422
          %1$s -d '{"amount":99}'

          # two at once: one runs for 2 seconds, the other gets 409
          for i in 1 2; do
            curl -s -w '  %%{http_code}\\n' %2$s/payments -H 'Idempotency-Key: my-key-2' -H 'X-Slow: 1' \\
              -H 'Content-Type: application/json' -d '{"amount":10}' &
          done; wait

          # what was charged
          curl %2$s/payments

          # how the gateway sees a request, and whether it keeps the rules
          ./once explain --anonymous -H 'Idempotency-Key: my-key-1' --json '{ "amount": 10 }' /payments
          ./once check %2$s/payments --count-url %3$s/payments --count-pointer /count \\
            --slow-header 'X-Slow: 1' --reject-body '{"amount":0}' --fail-body '{"fail":true}' \\
            --second-header 'Authorization: Bearer another'

        The policy, for people:  %4$s
        The metrics:             %5$s
        """
        .formatted(pay, gateway, api, policyPage, policyPage.resolve("/metrics"));
  }
}
