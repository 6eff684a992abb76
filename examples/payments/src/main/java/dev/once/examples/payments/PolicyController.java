package dev.once.examples.payments;

import dev.once.http.semantics.PolicyPage;
import dev.once.spring.OncePolicies;
import io.swagger.v3.oas.annotations.Hidden;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Publishes the rules for keys, which the type of every refusal links to. */
@Hidden
@RestController
record PolicyController(OncePolicies policies) {

  @GetMapping(path = "/docs/idempotency", produces = MediaType.TEXT_HTML_VALUE)
  String page() {
    return PolicyPage.render(policies.routes());
  }
}
