package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Scope;
import dev.once.spring.Client.Reply;
import dev.once.spring.transaction.OnceTransactions;
import dev.once.spring.transaction.OpenTransaction;
import dev.once.testing.servers.PostgresServer;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Errors of a handler that a filter outside answers, so that no error page is shown: Spring
 * Security where access is denied, and filters of the application's own.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class OutsideTest {

  private static final AtomicInteger CALLS = new AtomicInteger();

  private static ConfigurableApplicationContext context;
  private static Client client;
  private static JdbcTemplate jdbc;

  @BeforeAll
  static void start() throws SQLException {
    String url = PostgresServer.shared().newDatabase();
    try (Connection connection = PostgresServer.connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute("create table entry (id text)");
    }
    context =
        Application.of(Outside.class, Payments.class)
            .with(Application.Part.DATABASE)
            .with(Application.Part.SECURITY)
            .with("once.store.url", null)
            .with("once.store.migrate", "true")
            .with("server.tomcat.threads.max", "1") // each request has the thread of the last one
            .with("server.tomcat.threads.min-spare", "1")
            .with("spring.datasource.url", PostgresServer.jdbcUrl(url))
            .start();
    client = new Client(context);
    jdbc = context.getBean(JdbcTemplate.class);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @Configuration
  @EnableWebSecurity
  static class Outside {
    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
      return http.csrf(csrf -> csrf.disable())
          .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
          .exceptionHandling(
              errors ->
                  errors.authenticationEntryPoint(
                      (request, response, denied) -> {
                        if (request.getRequestURI().equals("/denied/page")) {
                          response.sendError(403);
                        } else {
                          response.setStatus(403);
                          response.getWriter().print("not you");
                          response.flushBuffer();
                        }
                      }))
          .build();
    }

    /** Answers what is thrown, and errors, as an application does that wants no error pages. */
    @Bean
    FilterRegistrationBean<Filter> teapot() {
      FilterRegistrationBean<Filter> registration =
          new FilterRegistrationBean<>(
              (request, response, chain) -> {
                try {
                  chain.doFilter(request, new Pageless((HttpServletResponse) response));
                } catch (Exception e) {
                  ((HttpServletResponse) response).setStatus(418);
                }
              });
      registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 1);
      registration.setUrlPatterns(List.of("/pageless/*"));
      return registration;
    }
  }

  static class Pageless extends HttpServletResponseWrapper {
    Pageless(HttpServletResponse response) {
      super(response);
    }

    @Override
    public void sendError(int status) {
      setStatus(status);
    }

    @Override
    public void sendError(int status, String message) {
      setStatus(status);
    }
  }

  @RestController
  static class Payments {
    private final JdbcTemplate jdbc;

    Payments(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @PostMapping({"/denied", "/denied/page"})
    String denied() {
      CALLS.incrementAndGet();
      throw new AccessDeniedException("not you");
    }

    @PostMapping("/pageless/leased")
    String leased() {
      CALLS.incrementAndGet();
      throw new IllegalStateException("broken");
    }

    @PostMapping("/pageless/entries")
    @Idempotent(sameTransaction = true)
    String enter(@RequestParam int status) {
      CALLS.incrementAndGet();
      jdbc.update("insert into entry values ('one')");
      if (status == 500) {
        throw new IllegalStateException("broken");
      }
      if (status != 200) {
        throw new ResponseStatusException(HttpStatus.valueOf(status));
      }
      return "entered";
    }
  }

  private static String newKey() {
    return UUID.randomUUID().toString();
  }

  private static int entries() {
    return jdbc.queryForObject("select count(*) from entry", Integer.class);
  }

  /** The status of both requests, of which the second one is a replay. */
  private static Reply assertReplayed(String path, int status) {
    int calls = CALLS.get();
    String key = newKey();
    Reply first = client.post(path, key, "{}");
    Reply second = client.post(path, key, "{}");
    assertThat(first.status()).isEqualTo(status);
    assertThat(first.isReplay()).isFalse();
    assertThat(second.status()).as(second.body()).isEqualTo(status);
    assertThat(second.isReplay()).isTrue();
    assertThat(CALLS).hasValue(calls + 1);
    return first;
  }

  @Test
  void a_request_that_security_denies_is_recorded_with_its_status() {
    assertThat(assertReplayed("/denied", 403).body()).isEqualTo("not you");
  }

  @Test
  void a_request_that_security_sends_to_the_error_page_is_recorded_as_that() {
    assertThat(assertReplayed("/denied/page", 403).body()).contains("timestamp");
  }

  @Test
  void an_exception_that_a_filter_answers_is_recorded_with_its_status() {
    assertReplayed("/pageless/leased", 418);
  }

  @Test
  void a_failure_leaves_its_transaction_behind_and_the_next_request_commits() {
    int entries = entries();
    String key = newKey();
    assertThat(client.post("/pageless/entries?status=500", key, "{}").status()).isEqualTo(418);
    assertThat(entries()).isEqualTo(entries);
    Reply retry = client.post("/pageless/entries?status=500", key, "{}");
    assertThat(retry.isReplay()).isFalse();
    assertReplayed("/pageless/entries?status=200", 200);
    assertThat(entries()).isEqualTo(entries + 1);
  }

  @Test
  void a_rejection_without_an_error_page_commits_with_its_key_and_so_does_the_next_request() {
    int entries = entries();
    assertReplayed("/pageless/entries?status=409", 409);
    assertThat(entries()).isEqualTo(entries + 1);
    assertReplayed("/pageless/entries?status=200", 200);
    assertThat(entries()).isEqualTo(entries + 2);
  }

  @Test
  void a_transaction_that_was_suspended_leaves_its_thread_and_ends_on_another() {
    int entries = entries();
    OnceTransactions transactions = context.getBean(OnceTransactions.class);
    Operation operation =
        Operation.of(
            new Scope("", "", ""), Key.of(newKey()), Fingerprint.of("request"), Policy.DEFAULT);
    OpenTransaction open = transactions.begin(operation, TransactionDefinition.withDefaults());
    jdbc.update("insert into entry values ('suspended')");
    open.leaveThread();
    assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
    assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
    assertThat(entries()).isEqualTo(entries);

    CompletableFuture.runAsync(
            () -> {
              open.commit(Answer.success(200, Body.of("done")));
              assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
              assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
            })
        .join();
    assertThat(entries()).isEqualTo(entries + 1);
    OpenTransaction again = transactions.begin(operation, TransactionDefinition.withDefaults());
    assertThat(again.begun()).isInstanceOf(Begun.Replay.class);
    again.rollBack(null);
  }
}
