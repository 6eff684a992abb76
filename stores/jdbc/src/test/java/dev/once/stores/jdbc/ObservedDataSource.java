package dev.once.stores.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** A real data source that counts statements and commits, and lets a test in around commits. */
final class ObservedDataSource {

  /** Called on the writer's thread. */
  interface AroundCommit {
    void before() throws SQLException;

    void after() throws SQLException;
  }

  final AtomicLong statements = new AtomicLong();
  final AtomicLong commits = new AtomicLong();

  /** Those that executed a statement. */
  final Set<Thread> threads = ConcurrentHashMap.newKeySet();

  /** Methods that a thread called which somebody had interrupted. */
  final Set<String> interrupted = ConcurrentHashMap.newKeySet();

  /** How long connections were told to wait for a silent server, in milliseconds. */
  final Set<Integer> networkTimeouts = ConcurrentHashMap.newKeySet();

  volatile AroundCommit aroundCommit =
      new AroundCommit() {
        @Override
        public void before() {}

        @Override
        public void after() {}
      };

  /** Run on each new connection. */
  volatile String onConnect = "SELECT 1";

  private final DataSource dataSource;

  ObservedDataSource(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  DataSource asDataSource() {
    return wrap(DataSource.class, dataSource);
  }

  private <T> T wrap(Class<T> type, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (Thread.currentThread().isInterrupted()) {
                interrupted.add(method.getName());
              }
              boolean commit = target instanceof Connection && method.getName().equals("commit");
              if (commit) {
                aroundCommit.before();
              } else if (target instanceof Statement && method.getName().startsWith("execute")) {
                statements.incrementAndGet();
                threads.add(Thread.currentThread());
              } else if (method.getName().equals("setNetworkTimeout")) {
                networkTimeouts.add((Integer) arguments[1]);
              }
              Object result;
              try {
                result = method.invoke(target, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              if (commit) {
                commits.incrementAndGet();
                aroundCommit.after();
              }
              if (result instanceof Connection connection && target instanceof DataSource) {
                try (Statement statement = connection.createStatement()) {
                  statement.execute(onConnect);
                }
                return wrap(Connection.class, connection);
              }
              return result instanceof PreparedStatement statement
                  ? wrap(PreparedStatement.class, statement)
                  : result;
            }));
  }
}
