package dev.once.spring.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.conformance.Conformance;
import dev.once.http.conformance.Listener;
import dev.once.http.conformance.Required;
import dev.once.http.conformance.Target;
import dev.once.http.conformance.report.Outcome;
import dev.once.http.conformance.report.Report;
import dev.once.spring.RunningApplication;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** The black-box suite against a small WebFlux application. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WebFluxConformanceTest {

  private static final AtomicInteger MADE = new AtomicInteger();

  @RestController
  static class Orders {
    @PostMapping("/orders")
    Mono<ResponseEntity<Map<String, Object>>> order(
        @RequestBody String body, @RequestHeader(name = "X-Slow", defaultValue = "0") long slow) {
      Mono<ResponseEntity<Map<String, Object>>> made = Mono.fromSupplier(() -> make(body, slow));
      return slow == 0 ? made : Mono.delay(Duration.ofMillis(slow)).then(made);
    }

    /**
     * An answer from another thread closes its connection: Reactor Netty 1.3.7, without Once too,
     * now and then does not read the next request of such a connection.
     */
    private static ResponseEntity<Map<String, Object>> make(String body, long slow) {
      int number = MADE.incrementAndGet();
      int status = body.contains("\"reject\"") ? 422 : body.contains("\"fail\"") ? 503 : 201;
      return ResponseEntity.status(status)
          .header("Set-Cookie", "session=" + number)
          .headers(
              headers -> {
                if (slow > 0) {
                  headers.set("Connection", "close");
                }
              })
          .body(Map.of("order", number));
    }

    @GetMapping("/count")
    Mono<Integer> count() {
      return Mono.just(MADE.get());
    }
  }

  @Test
  void a_webflux_application_keeps_every_rule() {
    try (RunningApplication application = RunningApplication.reactive(Map.of(), Orders.class)) {
      String url = "http://localhost:" + application.uri("/").getPort();
      Target target =
          Target.at(url + "/orders")
              .required(Required.NO)
              .header("Authorization: Bearer one")
              .secondHeader("Authorization: Bearer two")
              .countUrl(url + "/count")
              .slowHeader("X-Slow: 400")
              .rejectBody("{\"reject\":\"" + Target.UNIQUE + "\"}")
              .failBody("{\"fail\":\"" + Target.UNIQUE + "\"}")
              .strict(true)
              .build();
      Report report = Conformance.run(target, Listener.NONE);
      String faults =
          report.results().stream()
              .filter(result -> result.outcome() != Outcome.PASSED)
              .map(result -> result.outcome() + " " + result.rule().id() + " " + result.detail())
              .collect(Collectors.joining("\n"));
      assertThat(report.broken()).as("%s%n%s", report.verdict(), faults).isFalse();
      // No key is required.
      assertThat(report.results())
          .filteredOn(result -> result.outcome() != Outcome.PASSED)
          .as(faults)
          .extracting(result -> result.rule().id())
          .containsExactly("draft-2.7-missing");
    }
  }
}
