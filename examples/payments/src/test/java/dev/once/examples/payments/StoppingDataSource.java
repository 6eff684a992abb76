package dev.once.examples.payments;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Profile;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Stops a charge at a {@link Step}: says so on the standard output, and waits to be killed. It
 * looks at what is sent to the database, so the example itself knows nothing of it.
 */
@Component
@Profile(StoppingDataSource.PROFILE)
final class StoppingDataSource implements BeanPostProcessor {

  static final String PROFILE = "stopping";

  private final Step stop;

  StoppingDataSource(Environment environment) {
    this.stop = Step.valueOf(environment.getRequiredProperty("stop-at"));
  }

  /** What is printed at a step. */
  static String line(Step step) {
    return "stopped " + step;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    return bean instanceof DataSource dataSource
        ? proxy(
            DataSource.class,
            (self, method, args) -> {
              Object result = call(dataSource, method, args);
              return result instanceof Connection connection ? watched(connection) : result;
            })
        : bean;
  }

  private Connection watched(Connection connection) {
    boolean[] charging = {false};
    return proxy(
        Connection.class,
        (self, method, args) -> {
          boolean commit = method.getName().equals("commit") && charging[0];
          stopIf(commit, Step.BEFORE_COMMIT);
          Object result = call(connection, method, args);
          stopIf(commit, Step.AFTER_COMMIT);
          return result instanceof PreparedStatement statement
              ? watched(statement, ((String) args[0]).toLowerCase(Locale.ROOT), charging)
              : result;
        });
  }

  private PreparedStatement watched(PreparedStatement statement, String sql, boolean[] charging) {
    return proxy(
        PreparedStatement.class,
        (self, method, args) -> {
          boolean executes = method.getName().startsWith("execute");
          boolean claim = executes && sql.contains("once_claim");
          boolean ledger = executes && sql.contains("insert into ledger_entry");
          boolean record = executes && sql.contains("update idempotency_keys") && charging[0];
          stopIf(claim, Step.BEFORE_CLAIM);
          Object result = call(statement, method, args);
          charging[0] |= ledger;
          stopIf(claim, Step.AFTER_CLAIM);
          stopIf(ledger, Step.AFTER_LEDGER_WRITE);
          stopIf(record, Step.AFTER_RECORD);
          return result;
        });
  }

  private void stopIf(boolean reached, Step step) throws InterruptedException {
    if (reached && step == stop) {
      System.out.println(line(step));
      new CountDownLatch(1).await();
    }
  }

  private static Object call(Object target, Method method, Object @Nullable [] args)
      throws Throwable {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
