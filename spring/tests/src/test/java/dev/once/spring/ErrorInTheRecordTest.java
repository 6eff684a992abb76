package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.testing.servers.PostgresServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Same transaction: an {@code Error} of the driver, or of an agent, while the answer is written.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ErrorInTheRecordTest {

  private static volatile boolean fails;

  @Configuration
  static class Beans {
    @Bean
    static BeanPostProcessor failing() {
      return new BeanPostProcessor() {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
          return bean instanceof DataSource source && !(bean instanceof DelegatingDataSource)
              ? new Failing(source)
              : bean;
        }
      };
    }
  }

  static final class Failing extends DelegatingDataSource {
    Failing(DataSource source) {
      super(source);
    }

    @Override
    public Connection getConnection() throws SQLException {
      Connection real = super.getConnection();
      return (Connection)
          Proxy.newProxyInstance(
              Failing.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (proxy, method, arguments) -> {
                if (fails && method.getName().equals("prepareStatement") && isRecord(arguments)) {
                  fails = false;
                  throw new NoClassDefFoundError("of an agent, say");
                }
                try {
                  return method.invoke(real, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getTargetException();
                }
              });
    }

    private static boolean isRecord(Object[] arguments) {
      String sql = String.valueOf(arguments[0]).strip().toLowerCase(Locale.ROOT);
      return sql.startsWith("update idempotency");
    }
  }

  @RestController
  static class Shop {
    private final JdbcTemplate jdbc;

    Shop(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @PostMapping("/keyed")
    @Idempotent(sameTransaction = true)
    String keyed() {
      jdbc.update("insert into entry values ('keyed')");
      fails = true;
      return "ok";
    }

    @PostMapping("/plain")
    String plain() {
      jdbc.update("insert into entry values ('plain')");
      return String.valueOf(TransactionSynchronizationManager.isActualTransactionActive());
    }
  }

  @Test
  void leaves_no_transaction_on_the_thread_that_the_next_request_gets() throws Exception {
    String url = PostgresServer.shared().newDatabase();
    try (Connection connection = PostgresServer.connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute("create table entry (id text)");
    }
    try (ConfigurableApplicationContext context =
        Application.of(Beans.class, Shop.class)
            .with(Application.Part.DATABASE)
            .with("once.store.url", null)
            .with("once.store.migrate", "true")
            .with("server.tomcat.threads.max", "1")
            .with("server.tomcat.threads.min-spare", "1")
            .with("spring.datasource.url", PostgresServer.jdbcUrl(url))
            .start()) {
      Client client = new Client(context);
      assertThat(client.post("/keyed", "k-1", "{}").status()).isEqualTo(500);
      assertThat(client.send("POST", "/plain", "{}").body()).isEqualTo("false");
      List<String> entries =
          context.getBean(JdbcTemplate.class).queryForList("select id from entry", String.class);
      assertThat(entries).containsExactly("plain");
    }
  }
}
