package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.testing.servers.PostgresServer;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import reactor.core.publisher.Mono;

/**
 * In same-transaction mode the {@code @Transactional} of a method counts wherever Spring looks for
 * it, not only on public methods: what commits apart from its key may run twice.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@ExtendWith(OutputCaptureExtension.class)
class TransactionalHandlerTest {

  private static String url;

  @BeforeAll
  static void start() {
    url = PostgresServer.shared().newDatabase();
  }

  private static Application application(Class<?>... beans) {
    return Application.of(beans)
        .with(Application.Part.DATABASE)
        .with("once.store.url", null)
        .with("once.store.migrate", "true")
        .with("spring.datasource.url", PostgresServer.jdbcUrl(url));
  }

  @RestController
  static class OnPackagePrivateMethod {
    @PostMapping("/a")
    @Idempotent(sameTransaction = true)
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    String run() {
      return "";
    }
  }

  @RestController
  static class OnProtectedMethod {
    @PostMapping("/a")
    @Idempotent(sameTransaction = true)
    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    protected String run() {
      return "";
    }
  }

  @RestController
  @Transactional(propagation = Propagation.REQUIRES_NEW)
  static class OnItsClass {
    @PostMapping("/a")
    @Idempotent(sameTransaction = true)
    String run() {
      return "";
    }
  }

  interface Api {
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    String run();
  }

  @RestController
  static class OnItsInterface implements Api {
    @Override
    @PostMapping("/a")
    @Idempotent(sameTransaction = true)
    public String run() {
      return "";
    }
  }

  abstract static class Parent {
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    abstract String run();
  }

  @RestController
  static class OnTheOverriddenMethod extends Parent {
    @Override
    @PostMapping("/a")
    @Idempotent(sameTransaction = true)
    String run() {
      return "";
    }
  }

  @Retention(RetentionPolicy.RUNTIME)
  @Transactional(propagation = Propagation.REQUIRES_NEW)
  @interface Apart {}

  @RestController
  static class ByAnAnnotationOfItsOwn {
    @PostMapping("/a")
    @Idempotent(sameTransaction = true)
    @Apart
    String run() {
      return "";
    }
  }

  @Service
  static class OnABeanMethod {
    @Idempotent(key = "#key", sameTransaction = true)
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    String run(String key) {
      return key;
    }
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        OnPackagePrivateMethod.class,
        OnProtectedMethod.class,
        OnItsClass.class,
        OnItsInterface.class,
        OnTheOverriddenMethod.class,
        ByAnAnnotationOfItsOwn.class,
        OnABeanMethod.class
      })
  void a_transaction_apart_from_the_key_stops_the_start(Class<?> bean, CapturedOutput output) {
    assertThatThrownBy(() -> application(bean).start().close()).isNotNull();
    assertThat(output)
        .contains(bean.getName() + ".run: its @Transactional has another propagation")
        .contains("Change the propagation to REQUIRED");
  }

  @RestController
  static class NotAnnotated {
    @PostMapping("/a")
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    String run() {
      return "";
    }
  }

  @Test
  void it_stops_the_start_too_where_a_property_asks_for_the_mode(CapturedOutput output) {
    Application application = application(NotAnnotated.class).with("once.same-transaction", "true");
    assertThatThrownBy(() -> application.start().close()).isNotNull();
    assertThat(output)
        .contains(
            NotAnnotated.class.getName() + ".run: its @Transactional has another propagation");
  }

  @RestController
  static class OutOfScope {
    @GetMapping("/a")
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    String safe() {
      return "";
    }

    @PutMapping("/a")
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    String withoutKeys() {
      return "";
    }

    @PostMapping("/free/{id}")
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    String onARouteWithoutKeys() {
      return "";
    }
  }

  @Test
  void a_handler_that_keys_are_not_for_may_have_any_transaction() {
    application(OutOfScope.class)
        .with("once.same-transaction", "true")
        .with("once.routes[0].match", "/free/**")
        .with("once.routes[0].enabled", "false")
        .start()
        .close();
  }

  @Configuration
  static class TwoManagers {
    @Bean
    @Primary
    PlatformTransactionManager first(DataSource dataSource) {
      return new JdbcTransactionManager(dataSource);
    }

    @Bean
    PlatformTransactionManager second(DataSource dataSource) {
      return new JdbcTransactionManager(dataSource);
    }
  }

  @RestController
  static class ByAnotherManager {
    @PostMapping("/a")
    @Idempotent(sameTransaction = true)
    @Transactional("second")
    String run() {
      return "";
    }
  }

  @Test
  void another_manager_stops_the_start(CapturedOutput output) {
    assertThatThrownBy(() -> application(TwoManagers.class, ByAnotherManager.class).start().close())
        .isNotNull();
    assertThat(output)
        .contains(ByAnotherManager.class.getName() + ".run: its @Transactional names second");
  }

  @RestController
  @Qualifier("second")
  static class ByTheQualifierOfItsClass {
    @PostMapping("/a")
    @Idempotent(sameTransaction = true)
    @Transactional
    String run() {
      return "";
    }
  }

  @Test
  void so_does_one_that_the_class_names_by_a_qualifier(CapturedOutput output) {
    assertThatThrownBy(
            () -> application(TwoManagers.class, ByTheQualifierOfItsClass.class).start().close())
        .isNotNull();
    assertThat(output)
        .contains(
            ByTheQualifierOfItsClass.class.getName()
                + ".run: its @Transactional is not the primary manager's");
  }

  @Configuration
  @EnableTransactionManagement
  static class SecondByDefault implements TransactionManagementConfigurer {
    @Autowired private ObjectProvider<PlatformTransactionManager> managers;

    @Override
    public TransactionManager annotationDrivenTransactionManager() {
      return managers.stream().skip(1).findFirst().orElseThrow();
    }
  }

  @RestController
  static class ByDefault {
    @PostMapping("/a")
    @Idempotent(sameTransaction = true)
    @Transactional
    String run() {
      return "";
    }
  }

  @Test
  void so_does_one_that_the_application_has_as_its_default(CapturedOutput output) {
    assertThatThrownBy(
            () ->
                application(TwoManagers.class, SecondByDefault.class, ByDefault.class)
                    .start()
                    .close())
        .isNotNull();
    assertThat(output)
        .contains(ByDefault.class.getName() + ".run: its @Transactional is not the primary");
  }

  @RestController
  static class AnswersByAFuture {
    @PostMapping("/a")
    @Idempotent(sameTransaction = true)
    CompletableFuture<String> run() {
      return new CompletableFuture<>();
    }
  }

  @RestController
  static class AnswersByADeferredResult {
    @PostMapping("/a")
    @Idempotent(sameTransaction = true)
    DeferredResult<String> run() {
      return new DeferredResult<>();
    }
  }

  @RestController
  static class AnswersByAnEmitterInAnEntity {
    @PostMapping("/a")
    @Idempotent(sameTransaction = true)
    ResponseEntity<SseEmitter> run() {
      return ResponseEntity.ok(new SseEmitter());
    }
  }

  @RestController
  static class AnswersByAMono {
    @PostMapping("/a")
    @Idempotent(sameTransaction = true)
    Mono<String> run() {
      return Mono.empty();
    }
  }

  @RestController
  static class AnswersByACallable {
    @PostMapping("/a")
    @Idempotent(sameTransaction = true)
    Callable<String> run() {
      return () -> "";
    }
  }

  /** Its work is done on another thread, and stays done when the transaction is rolled back. */
  @ParameterizedTest
  @ValueSource(
      classes = {
        AnswersByAFuture.class,
        AnswersByADeferredResult.class,
        AnswersByAnEmitterInAnEntity.class,
        AnswersByAMono.class,
        AnswersByACallable.class
      })
  void a_handler_that_answers_later_stops_the_start(Class<?> bean, CapturedOutput output) {
    assertThatThrownBy(() -> application(bean).start().close()).isNotNull();
    assertThat(output)
        .contains(bean.getName() + ".run: it answers later, by ")
        .contains("Return the result itself");
  }

  @RestController
  @Idempotent(sameTransaction = true)
  static class StreamsByGet {
    @PostMapping("/a")
    String run() {
      return "";
    }

    @GetMapping("/a/events")
    SseEmitter events() {
      return new SseEmitter();
    }
  }

  @RestController
  @Idempotent(sameTransaction = true)
  static class ReadsWithoutATransaction {
    @PostMapping("/a")
    String run() {
      return "";
    }

    @GetMapping("/a")
    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    String read() {
      return "";
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {StreamsByGet.class, ReadsWithoutATransaction.class})
  void a_handler_of_an_annotated_class_that_is_for_safe_methods_may_be_as_it_likes(Class<?> bean) {
    application(bean).start().close();
  }

  @RestController
  static class AnswersLaterUnannotated {
    private final AtomicInteger runs = new AtomicInteger();

    @RequestMapping("/later")
    CompletableFuture<String> run() {
      return CompletableFuture.supplyAsync(() -> "run " + runs.incrementAndGet());
    }
  }

  @Test
  void where_a_property_asks_for_the_mode_a_handler_that_answers_later_is_leased_with_a_warning(
      CapturedOutput output) {
    try (ConfigurableApplicationContext context =
        application(AnswersLaterUnannotated.class).with("once.same-transaction", "true").start()) {
      Client client = new Client(context);
      String key = UUID.randomUUID().toString();
      assertThat(client.post("/later", key, "{}").body()).isEqualTo("run 1");
      assertThat(client.post("/later", key, "{}").body()).isEqualTo("run 1");
    }
    assertThat(output)
        .contains(
            "once.same-transaction: not for %s.run, which answers later, by %s"
                .formatted(
                    AnswersLaterUnannotated.class.getName(), CompletableFuture.class.getName()));
  }

  @RestController
  static class AnswersLaterOnManyPaths {
    private final AtomicInteger runs = new AtomicInteger();

    @PostMapping("/later/{id}")
    CompletableFuture<String> run() {
      return CompletableFuture.supplyAsync(() -> "run " + runs.incrementAndGet());
    }
  }

  @Test
  void it_is_leased_too_if_only_some_of_its_paths_have_keys() {
    try (ConfigurableApplicationContext context =
        application(AnswersLaterOnManyPaths.class)
            .with("once.same-transaction", "true")
            .with("once.enabled", "false")
            .with("once.routes[0].match", "POST /later/special")
            .with("once.routes[0].enabled", "true")
            .start()) {
      Client client = new Client(context);
      String key = UUID.randomUUID().toString();
      assertThat(client.post("/later/special", key, "{}").body()).isEqualTo("run 1");
      assertThat(client.post("/later/special", key, "{}").body()).isEqualTo("run 1");
    }
  }

  @RestController
  static class Isolated {
    private final JdbcTemplate jdbc;

    Isolated(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @PostMapping("/annotated")
    @Idempotent(sameTransaction = true)
    @Transactional(isolation = Isolation.SERIALIZABLE)
    String annotated() {
      return level();
    }

    @PostMapping("/plain")
    @Transactional(isolation = Isolation.SERIALIZABLE)
    String plain() {
      return level();
    }

    private String level() {
      return jdbc.queryForObject("show transaction_isolation", String.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/annotated", "/plain"})
  void the_transaction_has_the_isolation_that_the_handler_asks_for(String path) {
    try (ConfigurableApplicationContext context =
        application(Isolated.class).with("once.same-transaction", "true").start()) {
      String key = UUID.randomUUID().toString();
      assertThat(new Client(context).post(path, key, "{}").body()).isEqualTo("serializable");
    }
  }
}
