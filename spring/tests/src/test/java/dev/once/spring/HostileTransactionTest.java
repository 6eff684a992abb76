package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Execution;
import dev.once.core.OnceListener;
import dev.once.core.Operation;
import dev.once.core.Refusal;
import dev.once.core.Result;
import dev.once.testing.servers.PostgresServer;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

@DisplayNameGeneration(ReplaceUnderscores.class)
class HostileTransactionTest {

  private static ConfigurableApplicationContext context;
  private static Client client;
  private static Heard heard;
  private static JdbcTemplate jdbc;

  @Component
  static class Heard implements OnceListener {
    final List<String> told = new CopyOnWriteArrayList<>();

    @Override
    public void begun(Execution execution) {
      told.add("begun");
    }

    @Override
    public void ended(Execution execution, Result result) {
      told.add("ended " + result.getClass().getSimpleName());
    }

    @Override
    public void released(Execution execution) {
      told.add("released");
    }

    @Override
    public void abandoned(Execution execution) {
      told.add("abandoned");
    }

    @Override
    public void replayed(Operation operation, Answer answer) {
      told.add("replayed");
    }

    @Override
    public void refused(Operation operation, Refusal refusal) {
      told.add("refused " + refusal.reason());
    }
  }

  static class Broken extends RuntimeException {
    Broken() {
      super("in the middle");
    }
  }

  @RestControllerAdvice
  static class Advice {
    @ExceptionHandler
    ResponseEntity<String> broken(Broken e) {
      return ResponseEntity.status(500).body("advice: failed");
    }
  }

  @Configuration
  static class Beans {
    /** A transaction for each request, outside of everything. */
    @Bean
    FilterRegistrationBean<Filter> transactions(PlatformTransactionManager manager) {
      FilterRegistrationBean<Filter> bean =
          new FilterRegistrationBean<>(
              (request, response, chain) -> {
                if (!((HttpServletRequest) request).getRequestURI().startsWith("/outer")) {
                  chain.doFilter(request, response);
                  return;
                }
                new TransactionTemplate(manager)
                    .executeWithoutResult(
                        status -> {
                          try {
                            chain.doFilter(request, response);
                          } catch (Exception e) {
                            throw new IllegalStateException(e);
                          }
                          status.setRollbackOnly();
                        });
              });
      bean.setOrder(-1000);
      bean.setAsyncSupported(true);
      return bean;
    }
  }

  @Service
  static class Mails {
    static final CountDownLatch RUNS = new CountDownLatch(1);
    static final CountDownLatch GO = new CountDownLatch(1);

    @Idempotent(key = "#key")
    public String send(String key) throws InterruptedException {
      RUNS.countDown();
      GO.await(20, TimeUnit.SECONDS);
      return "sent";
    }

    @Idempotent(key = "#key", sameTransaction = true)
    @Transactional
    public String together(String key) {
      TransactionSynchronizationManager.registerSynchronization(
          new TransactionSynchronization() {
            @Override
            public void afterCommit() {
              throw new AssertionError("after the commit");
            }
          });
      return "x";
    }
  }

  @RestController
  static class Shop {
    private final JdbcTemplate jdbc;
    private final Mails mails;

    Shop(JdbcTemplate jdbc, Mails mails) {
      this.jdbc = jdbc;
      this.mails = mails;
    }

    private void sync(TransactionSynchronization s) {
      TransactionSynchronizationManager.registerSynchronization(s);
    }

    @PostMapping("/error-at-commit")
    @Idempotent(sameTransaction = true)
    String errorAtCommit() {
      jdbc.update("insert into entry values ('x')");
      sync(
          new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
              throw new AssertionError("at the commit");
            }
          });
      return "ok";
    }

    @PostMapping("/error-after-commit")
    @Idempotent(sameTransaction = true)
    String errorAfterCommit() {
      jdbc.update("insert into entry values ('x')");
      sync(
          new TransactionSynchronization() {
            @Override
            public void afterCommit() {
              throw new AssertionError("after the commit");
            }
          });
      return "ok";
    }

    @PostMapping("/rejected-error-at-commit")
    @Idempotent(sameTransaction = true)
    void rejectedErrorAtCommit(HttpServletResponse response) throws IOException {
      jdbc.update("insert into entry values ('x')");
      sync(
          new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
              throw new AssertionError("at the commit");
            }
          });
      response.sendError(404);
    }

    @PostMapping("/outer/tx")
    @Idempotent(sameTransaction = true)
    String outer() {
      jdbc.update("insert into entry values ('x')");
      return "ok";
    }

    @PostMapping("/flushed")
    void flushed(HttpServletResponse response) throws IOException {
      response.getOutputStream().write("{\"half\":".getBytes(StandardCharsets.UTF_8));
      response.flushBuffer();
      throw new Broken();
    }

    @PostMapping("/streamed")
    StreamingResponseBody streamed() {
      return out -> {
        out.write("{\"half\":".getBytes(StandardCharsets.UTF_8));
        out.flush();
        throw new Broken();
      };
    }

    @PostMapping("/emitted")
    ResponseBodyEmitter emitted() {
      ResponseBodyEmitter emitter = new ResponseBodyEmitter();
      new Thread(
              () -> {
                try {
                  emitter.send("{\"half\":");
                  Thread.sleep(200);
                  emitter.completeWithError(new Broken());
                } catch (Exception e) {
                  e.printStackTrace();
                }
              })
          .start();
      return emitter;
    }

    static final AtomicInteger CHARGES = new AtomicInteger();

    @PostMapping("/charge-and-mail")
    String chargeAndMail() throws Exception {
      CHARGES.incrementAndGet();
      return mails.send("mail-1");
    }
  }

  @BeforeAll
  static void start() throws Exception {
    String url = PostgresServer.shared().newDatabase();
    try (Connection connection = PostgresServer.connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute("create table entry (id text)");
    }
    context =
        Application.of(Beans.class, Heard.class, Advice.class, Mails.class, Shop.class)
            .with(Application.Part.DATABASE)
            .with("once.store.url", null)
            .with("once.store.migrate", "true")
            .with("spring.datasource.url", PostgresServer.jdbcUrl(url))
            .start();
    client = new Client(context);
    heard = context.getBean(Heard.class);
    jdbc = context.getBean(JdbcTemplate.class);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @BeforeEach
  void reset() {
    heard.told.clear();
    jdbc.update("delete from entry");
  }

  private String twice(String path) {
    Client.Reply first = client.post(path, "key-" + path.hashCode(), "{}");
    List<String> told = List.copyOf(heard.told);
    Client.Reply retry = client.post(path, "key-" + path.hashCode(), "{}");
    String seen =
        path + ": " + first.status() + " " + cut(first.body()) + " " + told + " / retry " + retry.status() + " "
            + cut(retry.body()) + (retry.isReplay() ? " replayed" : "") + " " + heard.told
            + " rows " + jdbc.queryForObject("select count(*) from entry", Integer.class);
    System.out.println(seen);
    return seen;
  }

  private static String cut(String s) {
    return s.length() > 120 ? s.substring(0, 120) : s;
  }

  @Test
  void an_error_at_the_commit() {
    assertThat(twice("/error-at-commit")).contains("[begun, released] / ");
  }

  @Test
  void an_error_after_the_commit() {
    assertThat(twice("/error-after-commit")).contains("200 ok [begun, ended Executed] / ");
  }

  @Test
  void a_rejection_with_an_error_at_the_commit() {
    assertThat(twice("/rejected-error-at-commit")).contains("[begun, released] / ");
  }

  @Test
  void an_outer_transaction_that_rolls_back() {
    assertThat(twice("/outer/tx")).doesNotContain("200 ok");
  }

  @Test
  void half_flushed_and_an_advice() {
    assertThat(twice("/flushed")).doesNotContain("200 {\"half");
  }

  @Test
  void half_streamed_and_an_advice() {
    assertThat(twice("/streamed")).doesNotContain("200 {\"half");
  }

  @Test
  void half_emitted_and_an_advice() {
    assertThat(twice("/emitted")).doesNotContain("200 {\"half");
  }

  @Test
  void a_method_with_an_error_after_the_commit() {
    Object got;
    try {
      got = context.getBean(Mails.class).together("m-1");
    } catch (Throwable e) {
      got = e;
    }
    System.out.println("method: " + got + " " + heard.told);
    assertThat(heard.told).containsExactly("begun", "ended Executed");
  }

  @Test
  void an_effect_before_a_bean_method_that_is_busy() throws Exception {
    Thread other =
        new Thread(
            () -> {
              try {
                context.getBean(Mails.class).send("mail-1");
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    other.start();
    Mails.RUNS.await();
    Client.Reply first = client.post("/charge-and-mail", "charge-1", "{}");
    Mails.GO.countDown();
    other.join();
    Client.Reply retry = client.post("/charge-and-mail", "charge-1", "{}");
    System.out.println("busy method: " + first.status() + " " + cut(first.body()) + " / " + retry.status() + " " + retry.body()
        + " charges " + Shop.CHARGES + " " + heard.told);
    assertThat(Shop.CHARGES).hasValue(1);
  }
}
