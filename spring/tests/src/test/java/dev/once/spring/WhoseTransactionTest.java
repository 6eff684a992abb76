package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.spring.transaction.OnceTransactions;
import dev.once.testing.servers.PostgresServer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.xml.XmlBeanDefinitionReader;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Primary;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.MatchAlwaysTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** The transaction that a {@code @Transactional} stands for is the one that Spring makes of it. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@ExtendWith(OutputCaptureExtension.class)
class WhoseTransactionTest {

  /** The same database, but connections and transactions of its own. */
  private static final DriverManagerDataSource OTHERS = new DriverManagerDataSource();

  private static String url;

  @BeforeAll
  static void start() throws SQLException {
    url = PostgresServer.shared().newDatabase();
    OTHERS.setUrl(PostgresServer.jdbcUrl(url));
    try (Connection connection = PostgresServer.connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute("create table entry (id text)");
    }
  }

  private static Application application(Class<?>... beans) {
    return withWeb(beans).withoutWeb();
  }

  private static Application withWeb(Class<?>... beans) {
    return Application.of(beans)
        .with(Application.Part.DATABASE)
        .with("once.lease", "1h")
        .with("once.store.url", null)
        .with("once.store.migrate", "true")
        .with("spring.datasource.url", PostgresServer.jdbcUrl(url));
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoManagers {
    @Bean
    @Primary
    PlatformTransactionManager first(DataSource dataSource) {
      return new JdbcTransactionManager(dataSource);
    }

    @Bean
    PlatformTransactionManager second() {
      return new JdbcTransactionManager(OTHERS);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class AdviceForOtherBeans {
    @Bean
    TransactionInterceptor advice(@Qualifier("second") TransactionManager second) {
      return new TransactionInterceptor(second, new MatchAlwaysTransactionAttributeSource());
    }
  }

  /** What an application of old has. */
  @Configuration(proxyBeanMethods = false)
  @Import(SecondByXml.Definitions.class)
  @EnableAutoConfiguration(
      excludeName = {
        "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration",
        "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration"
      })
  static class SecondByXml {
    static class Definitions implements ImportBeanDefinitionRegistrar {
      @Override
      public void registerBeanDefinitions(
          AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
        String xml =
            """
            <beans xmlns="http://www.springframework.org/schema/beans"
                xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                xmlns:tx="http://www.springframework.org/schema/tx"
                xsi:schemaLocation="http://www.springframework.org/schema/beans
                    http://www.springframework.org/schema/beans/spring-beans.xsd
                    http://www.springframework.org/schema/tx
                    http://www.springframework.org/schema/tx/spring-tx.xsd">
              <tx:annotation-driven transaction-manager="second" proxy-target-class="true"/>
            </beans>
            """;
        new XmlBeanDefinitionReader(registry)
            .loadBeanDefinitions(new ByteArrayResource(xml.getBytes(StandardCharsets.UTF_8)));
      }
    }
  }

  @Service
  static class Leased {
    private final DataSource dataSource;

    Leased(DataSource dataSource) {
      this.dataSource = dataSource;
    }

    @Idempotent(key = "#key")
    @Transactional
    public String enter(String key) {
      return enterBy(dataSource);
    }

    /** For a {@code @Transactional} of the second manager. */
    @Idempotent(key = "#key")
    @Transactional
    public String enterElsewhere(String key) {
      return enterBy(OTHERS);
    }

    static String enterBy(DataSource dataSource) {
      String id = UUID.randomUUID().toString();
      new JdbcTemplate(dataSource).update("insert into entry values (?)", id);
      return id;
    }
  }

  @Service
  static class Together {
    @Idempotent(key = "#key", sameTransaction = true)
    @Transactional
    public String run(String key) {
      return key;
    }
  }

  @RestController
  static class Handler {
    @PostMapping("/a")
    @Idempotent(sameTransaction = true)
    @Transactional
    public String run() {
      return "";
    }
  }

  private static String newKey() {
    return UUID.randomUUID().toString();
  }

  private static boolean isThere(String id) {
    return new JdbcTemplate(OTHERS)
            .queryForObject("select count(*) from entry where id = ?", Integer.class, id)
        == 1;
  }

  /** Called in a transaction of the primary manager that is rolled back. */
  private static String rolledBack(ConfigurableApplicationContext context, Supplier<String> call) {
    return new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
        .execute(
            status -> {
              status.setRollbackOnly();
              return call.get();
            });
  }

  @Test
  void a_call_is_undone_with_its_caller_though_advice_for_other_beans_has_another_manager() {
    try (ConfigurableApplicationContext context =
        application(TwoManagers.class, AdviceForOtherBeans.class, Leased.class).start()) {
      Leased leased = context.getBean(Leased.class);
      String key = newKey();
      String undone = rolledBack(context, () -> leased.enter(key));
      String id = leased.enter(key);
      assertThat(isThere(undone)).isFalse();
      assertThat(isThere(id)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {Together.class, Handler.class})
  void advice_for_other_beans_that_has_another_manager_does_not_stop_the_start(Class<?> bean) {
    withWeb(TwoManagers.class, AdviceForOtherBeans.class, bean).start().close();
  }

  @Test
  void a_manager_that_xml_names_is_not_the_keys_and_stops_the_start(CapturedOutput output) {
    assertThatThrownBy(
            () -> application(TwoManagers.class, SecondByXml.class, Together.class).start().close())
        .isNotNull();
    assertThat(output)
        .contains(Together.class.getName() + ".run: its @Transactional is not the primary");
  }

  @Test
  void a_method_of_a_manager_that_xml_names_does_not_depend_on_a_caller_of_another() {
    try (ConfigurableApplicationContext context =
        application(TwoManagers.class, SecondByXml.class, Leased.class).start()) {
      Leased leased = context.getBean(Leased.class);
      String key = newKey();
      String id = rolledBack(context, () -> leased.enterElsewhere(key));
      assertThat(isThere(id)).isTrue(); // it has committed, whatever its caller did
      assertThat(leased.enterElsewhere(key)).isEqualTo(id);
    }
  }

  @Service
  static class Placeholders {
    private final DataSource dataSource;

    Placeholders(DataSource dataSource) {
      this.dataSource = dataSource;
    }

    @Idempotent(key = "#key")
    @Transactional(transactionManager = "${pay.manager}", timeoutString = "${pay.timeout}")
    public String leased(String key) {
      return Leased.enterBy(dataSource);
    }

    @Idempotent(key = "#key", sameTransaction = true)
    @Transactional(transactionManager = "${pay.manager}", timeoutString = "${pay.timeout}")
    public String together(String key) {
      return Leased.enterBy(dataSource);
    }
  }

  private static Application placeholders() {
    return application(TwoManagers.class, Placeholders.class)
        .with("pay.manager", "first")
        .with("pay.timeout", "20");
  }

  @Test
  void placeholders_are_resolved_for_a_method_under_a_lease() {
    try (ConfigurableApplicationContext context = placeholders().start()) {
      Placeholders bean = context.getBean(Placeholders.class);
      String key = newKey();
      String undone = rolledBack(context, () -> bean.leased(key));
      String id = bean.leased(key); // it took part, so it was undone
      assertThat(isThere(undone)).isFalse();
      assertThat(isThere(id)).isTrue();
    }
  }

  @Test
  void placeholders_are_resolved_in_same_transaction_mode() throws NoSuchMethodException {
    try (ConfigurableApplicationContext context = placeholders().start()) {
      String id = context.getBean(Placeholders.class).together(newKey());
      assertThat(isThere(id)).isTrue();
      assertThat(
              context
                  .getBean(OnceTransactions.class)
                  .definition(
                      Placeholders.class.getMethod("together", String.class), Placeholders.class)
                  .getTimeout())
          .isEqualTo(20);
    }
  }
}
