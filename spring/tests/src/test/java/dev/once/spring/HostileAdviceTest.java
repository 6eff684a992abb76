package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.NotRunException;
import dev.once.testing.servers.PostgresServer;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

@DisplayNameGeneration(ReplaceUnderscores.class)
class HostileAdviceTest {

  static final AtomicInteger EFFECTS = new AtomicInteger();

  @RestControllerAdvice
  static class CatchAll {
    @ExceptionHandler(Exception.class)
    ResponseEntity<String> any(Exception e) {
      return ResponseEntity.status(500).body("sorry");
    }
  }

  @RestController
  static class Shop {
    @PostMapping("/error")
    String errorThrown() {
      return "page";
    }

    @PostMapping("/throws-error")
    String error() {
      EFFECTS.incrementAndGet();
      throw new StackOverflowError();
    }

    @PostMapping("/interrupted")
    String interrupted() throws InterruptedException {
      EFFECTS.incrementAndGet();
      throw new InterruptedException();
    }

    @PostMapping("/not-run")
    String notRun() {
      throw new NotRunException("not now");
    }

    @PostMapping("/callable-error")
    Callable<String> callable() {
      return () -> {
        EFFECTS.incrementAndGet();
        throw new StackOverflowError();
      };
    }

    @PostMapping("/future-not-run")
    CompletableFuture<String> future() {
      return CompletableFuture.failedFuture(new NotRunException("not now"));
    }
  }

  private static String twice(Client client, String path) {
    EFFECTS.set(0);
    Client.Reply first = client.post(path, "key" + path, "{}");
    Client.Reply retry = client.post(path, "key" + path, "{}");
    String seen =
        path + " " + first.status() + " / " + retry.status() + (retry.isReplay() ? " replayed" : "")
            + " effects " + EFFECTS;
    System.out.println(seen);
    return seen;
  }

  private static void run(boolean advice, String release) {
    Application application =
        advice ? Application.of(CatchAll.class, Shop.class) : Application.of(Shop.class);
    try (ConfigurableApplicationContext context =
        application.with("once.on-failure", release).start()) {
      System.out.println("advice " + advice + " on-failure " + release);
      Client client = new Client(context);
      String all = "";
      for (String path :
          new String[] {"/throws-error", "/interrupted", "/not-run", "/callable-error", "/future-not-run"}) {
        all += twice(client, path) + "\n";
      }
      assertThat(all).doesNotContain("effects 2");
      assertThat(all).contains("/not-run 500 / 500 effects");
    }
  }

  @Test
  void no_advice() {
    run(false, "release");
  }

  @Test
  void an_advice_for_all_and_failures_are_released() {
    run(true, "release");
  }

  @Test
  void an_advice_for_all_and_failures_are_recorded() {
    run(true, "record");
  }

  static volatile boolean failing;

  @Configuration
  static class Beans {
    @Bean
    PlatformTransactionManager manager(DataSource dataSource) {
      return new DataSourceTransactionManager(dataSource) {
        private static final long serialVersionUID = 1;

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
          super.doCommit(status);
          if (failing) {
            throw new TransactionSystemException("no reply to the commit");
          }
        }
      };
    }
  }

  @Service
  static class Ledger {
    @Idempotent(key = "#key", sameTransaction = true)
    public String enter(String key) {
      EFFECTS.incrementAndGet();
      return "entered";
    }
  }

  @Test
  void a_duplicate_of_a_method_whose_transaction_cannot_be_committed_has_its_result() {
    failing = false;
    try (ConfigurableApplicationContext context =
        Application.of(Beans.class, Ledger.class)
            .withoutWeb()
            .with(Application.Part.DATABASE)
            .with("once.store.url", null)
            .with("once.store.migrate", "true")
            .with(
                "spring.datasource.url",
                PostgresServer.jdbcUrl(PostgresServer.shared().newDatabase()))
            .start()) {
      Ledger ledger = context.getBean(Ledger.class);
      assertThat(ledger.enter("k-1")).isEqualTo("entered");
      failing = true;
      assertThat(ledger.enter("k-1")).isEqualTo("entered");
    }
  }
}
