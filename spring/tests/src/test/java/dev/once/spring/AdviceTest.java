package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.NotRunException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * An application's own answer to whatever its handlers throw: it is sent, and what becomes of the
 * key is as if there were none.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class AdviceTest {

  private static final AtomicInteger RUNS = new AtomicInteger();

  @RestControllerAdvice
  static class CatchAll {
    @ExceptionHandler(Exception.class)
    ResponseEntity<String> any(Exception failure) {
      return ResponseEntity.status(500).body("sorry");
    }
  }

  @RestController
  static class Shop {
    @PostMapping("/error")
    String error() {
      RUNS.incrementAndGet();
      throw new StackOverflowError();
    }

    @PostMapping("/interrupted")
    String interrupted() throws InterruptedException {
      RUNS.incrementAndGet();
      throw new InterruptedException();
    }

    @PostMapping("/later")
    Callable<String> later() {
      return () -> {
        RUNS.incrementAndGet();
        throw new StackOverflowError();
      };
    }

    @PostMapping("/not-run")
    String notRun() {
      RUNS.incrementAndGet();
      throw new NotRunException("nothing was done");
    }

    @PostMapping("/half")
    void half(HttpServletResponse response) throws IOException {
      RUNS.incrementAndGet();
      response.getOutputStream().write("{\"half\":".getBytes(StandardCharsets.UTF_8));
      response.flushBuffer();
      throw new IllegalStateException("in the middle");
    }
  }

  private static void with(String onFailure, Consumer<Client> test) {
    RUNS.set(0);
    try (ConfigurableApplicationContext context =
        Application.of(CatchAll.class, Shop.class)
            .with("once.on-failure", onFailure)
            .with("server.error.path", "/error-page")
            .with("spring.web.error.path", "/error-page")
            .start()) {
      test.accept(new Client(context));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"record", "release"})
  void after_an_error_nobody_knows_what_was_done(String onFailure) {
    with(
        onFailure,
        client -> {
          int runs = 0;
          for (String path : new String[] {"/error", "/interrupted", "/later"}) {
            Client.Reply first = client.post(path, "key" + path, "{}");
            assertThat(first.status()).as(path).isEqualTo(500);
            assertThat(first.body()).isEqualTo("sorry");
            assertThat(client.post(path, "key" + path, "{}").status()).as(path).isEqualTo(409);
            assertThat(RUNS).hasValue(++runs);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"record", "release"})
  void what_did_not_run_is_free(String onFailure) {
    with(
        onFailure,
        client -> {
          for (int run = 1; run <= 2; run++) {
            Client.Reply reply = client.post("/not-run", "key", "{}");
            assertThat(reply.status()).isEqualTo(500);
            assertThat(reply.body()).isEqualTo("sorry");
            assertThat(RUNS).hasValue(run);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = "record")
  void half_an_answer_and_what_an_advice_says_of_it_is_a_failure(String onFailure) {
    with(
        onFailure,
        client -> {
          for (int i = 0; i < 2; i++) {
            Client.Reply reply = client.post("/half", "key", "{}");
            assertThat(reply.status()).isEqualTo(500);
            assertThat(reply.body()).doesNotContain("half");
          }
          assertThat(RUNS).hasValue(1);
        });
  }
}
