package dev.once.spring.transaction;

import dev.once.core.Begun;
import dev.once.core.OnceListener;
import dev.once.core.Operation;
import dev.once.core.Refusal;
import dev.once.spring.AsyncReturnTypes;
import dev.once.spring.OnceConfigurationException;
import dev.once.stores.jdbc.JdbcTransactions;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.SQLStateSQLExceptionTranslator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.StringUtils;

/**
 * Same-transaction mode: the key is claimed and the answer recorded in the transaction that the
 * application writes in, on its connection. That connection is found as {@code JdbcTemplate} finds
 * it, so it is JPA's too.
 *
 * <ol>
 *   <li>Begin a transaction, or take part in the caller's.
 *   <li>Claim the key in it. A duplicate waits here for the first one to commit or roll back.
 *   <li>Run. What is {@code @Transactional} there takes part.
 *   <li>Record the answer, commit, and only then answer.
 *   <li>Whatever is thrown, also by the commit: roll back and throw. Then nothing has happened, the
 *       key is free, and nobody was told otherwise.
 * </ol>
 */
public final class OnceTransactions {

  private static final Logger log = LoggerFactory.getLogger(OnceTransactions.class);

  /** Of a claim that met another transaction: nothing has run, and the next one may do better. */
  private static final int MAX_TRIES = 3;

  private static final String MET_OTHERS =
      "The claim met other transactions, each time that it was tried.";

  private final TransactionAttributeSource attributes;
  private final JdbcTransactions transactions;
  private final DataSource dataSource;
  private final PlatformTransactionManager manager;
  private final BeanFactory beans;
  private final OnceListener listener;

  public OnceTransactions(
      DataSource dataSource,
      PlatformTransactionManager manager,
      BeanFactory beans,
      Duration longestWait,
      OnceListener listener) {
    this.attributes = TransactionAttributes.of(beans);
    this.transactions = JdbcTransactions.create(longestWait).listener(new StoreCalls(listener));
    this.listener = listener;
    this.dataSource = dataSource;
    this.manager = manager;
    this.beans = beans;
    if (manager instanceof ResourceTransactionManager) {
      requireOneDatabase();
    }
  }

  /** A transaction of this manager has a connection of this DataSource, or they are not related. */
  private void requireOneDatabase() {
    DataSource own =
        dataSource instanceof TransactionAwareDataSourceProxy proxy
                && proxy.getTargetDataSource() != null
            ? proxy.getTargetDataSource()
            : dataSource;
    TransactionStatus status = manager.getTransaction(TransactionDefinition.withDefaults());
    try {
      if (!TransactionSynchronizationManager.hasResource(own)) {
        throw new OnceConfigurationException(
            "Same-transaction mode is asked for, but the transactions of %s are not those of the"
                    .formatted(manager.getClass().getName())
                + " DataSource that keys are kept in (expected: one database for both)",
            "Set once.store.data-source to the DataSource that is written to, and mark its"
                + " PlatformTransactionManager as @Primary.");
      }
    } finally {
      manager.rollback(status);
    }
  }

  /**
   * Fails if the application cannot have this mode.
   *
   * @throws OnceConfigurationException with the reason and what to do
   */
  public static void require(BeanFactory beans) {
    if (beans.getBeanProvider(OnceTransactions.class).getIfAvailable() == null) {
      throw new OnceConfigurationException(
          "Same-transaction mode is asked for, but there are no transactions (expected: Spring's,"
              + " on a DataSource)",
          "Add spring-boot-starter-jdbc or spring-boot-starter-data-jpa, or do not ask for"
              + " same-transaction.");
    }
  }

  /** The transaction that the method wants; it may not want one of its own, or none. */
  public TransactionDefinition definition(Method method, Class<?> type) {
    TransactionAttribute wanted = attributes.getTransactionAttribute(method, type);
    if (wanted == null) {
      return TransactionDefinition.withDefaults();
    }
    requireManager(wanted, method, type);
    DefaultTransactionDefinition definition = new DefaultTransactionDefinition(wanted);
    definition.setReadOnly(false); // the key is written
    switch (wanted.getPropagationBehavior()) {
      case TransactionDefinition.PROPAGATION_REQUIRED,
          TransactionDefinition.PROPAGATION_MANDATORY -> {}
      case TransactionDefinition.PROPAGATION_SUPPORTS ->
          definition.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRED);
      default ->
          throw new OnceConfigurationException(
              "Same-transaction mode on %s.%s: its @Transactional has another propagation than"
                      .formatted(type.getName(), method.getName())
                  + " REQUIRED (expected: the transaction that the key is in)",
              "Change the propagation to REQUIRED, or do not ask for same-transaction.");
    }
    return definition;
  }

  private void requireManager(TransactionAttribute wanted, Method method, Class<?> type) {
    String name = wanted.getQualifier();
    TransactionManager found;
    try {
      found = new MethodTransactionManager(beans).of(wanted, type);
    } catch (NoUniqueBeanDefinitionException e) {
      return; // Spring refuses each call for the same reason
    }
    if (found != manager) {
      throw new OnceConfigurationException(
          "Same-transaction mode on %s.%s: its @Transactional %s, and keys are written by"
                  .formatted(
                      type.getName(),
                      method.getName(),
                      StringUtils.hasLength(name)
                          ? "names " + name
                          : "is not the primary manager's")
              + " another transaction manager (expected: the transaction that the key is in)",
          "Keep keys in the DataSource of that one, by once.store.data-source and @Primary; or do"
              + " not ask for same-transaction.");
    }
  }

  /**
   * Fails if the handler answers later: its work would be done elsewhere, and stay done although
   * the transaction is rolled back.
   */
  public static void requireAnswerAtOnce(Method method, Class<?> type) {
    String later = AsyncReturnTypes.typeOf(method, type);
    if (later != null) {
      throw new OnceConfigurationException(
          "Same-transaction mode on %s.%s: it answers later, by %s (expected: a result)"
              .formatted(type.getName(), method.getName(), later),
          "Return the result itself, because a transaction ends on the thread that began it; or say"
              + " @Idempotent(sameTransaction = false).");
    }
  }

  /**
   * {@link #begin(Operation, TransactionDefinition)} for a bean method, in the transaction that it
   * wants.
   *
   * @throws IllegalStateException if it would join one that has ended
   */
  public OpenTransaction begin(Operation operation, Method method, Class<?> type) {
    CompletedTransactions.refuseToJoin(manager, method, type);
    return begin(operation, definition(method, type));
  }

  /**
   * Begins a transaction and claims the key in it; whoever gets it ends it. A claim that met other
   * transactions in each try is busy: nothing has run, and the database is not down.
   *
   * @throws DataAccessException if the database cannot be asked; then there is no transaction
   */
  public OpenTransaction begin(Operation operation, TransactionDefinition definition) {
    for (int tries = 1; ; tries++) {
      TransactionStatus status = manager.getTransaction(definition);
      try {
        return open(operation, status, claim(operation));
      } catch (Throwable e) {
        boolean ours = status.isNewTransaction();
        manager.rollback(status);
        if (!(e instanceof ConcurrencyFailureException) || !ours) {
          throw e; // a caller's transaction is for the caller to try again
        }
        if (tries == MAX_TRIES) {
          log.debug("a claim met other transactions, {} times", tries, e);
          return open(operation, status, new Begun.Refuse(Refusal.busy(MET_OTHERS)));
        }
      }
    }
  }

  private OpenTransaction open(Operation operation, TransactionStatus status, Begun begun) {
    OpenTransaction open = new OpenTransaction(manager, status, operation, begun, listener);
    listener.decided(operation, open.begun());
    return open;
  }

  private Begun claim(Operation operation) {
    Connection connection = DataSourceUtils.getConnection(dataSource);
    try {
      ConnectionHolder holder =
          (ConnectionHolder) TransactionSynchronizationManager.getResource(dataSource);
      return holder != null && holder.hasTimeout()
          ? transactions.begin(
              connection, operation, Duration.ofMillis(holder.getTimeToLiveInMillis()))
          : transactions.begin(connection, operation);
    } catch (SQLException e) {
      throw translated("a claim", e);
    } finally {
      DataSourceUtils.releaseConnection(connection, dataSource);
    }
  }

  static DataAccessException translated(String task, SQLException e) {
    DataAccessException known = new SQLStateSQLExceptionTranslator().translate(task, null, e);
    return known != null ? known : new UncategorizedSQLException(task, null, e);
  }

  /** What happens is told after the commit, by {@link OpenTransaction}; this is all else. */
  private record StoreCalls(OnceListener listener) implements OnceListener {
    @Override
    public void storeCalled(StoreStep step, Duration time, @Nullable Throwable failure) {
      listener.storeCalled(step, time, failure);
    }
  }
}
