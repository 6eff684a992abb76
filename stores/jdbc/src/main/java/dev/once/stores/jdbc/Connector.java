package dev.once.stores.jdbc;

import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.StoreException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/**
 * Connects lanes. A database that is lost is tried again for a moment, as one that restarts or
 * fails over wants it. If that lasts, steps are refused at once: nothing queues up for a lost
 * database.
 */
final class Connector {

  /** Steps met no connection: nothing of them was sent. */
  static final class UnconnectedException extends StepNotTakenException {
    private static final long serialVersionUID = 1;

    private UnconnectedException(StoreException reason) {
      super(String.valueOf(reason.getMessage()), reason.getCause());
    }
  }

  private static final Duration CONNECT_TIMEOUT = Duration.ofMillis(250);
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final long CONNECTED = 0;

  private final DataSource dataSource;
  private final Dialect dialect;
  private volatile long lostSince = CONNECTED;

  Connector(DataSource dataSource, Dialect dialect) {
    this.dataSource = dataSource;
    this.dialect = dialect;
  }

  Session connect() throws SQLException {
    try {
      Session session = new Session(dataSource, dialect);
      lostSince = CONNECTED;
      return session;
    } catch (SQLException e) {
      if (lostSince == CONNECTED) {
        lostSince = System.nanoTime() | 1; // whatever it is, it is not CONNECTED
      }
      throw e;
    }
  }

  /** For steps of which nothing has been sent. */
  Session connectForNew(boolean patiently) throws UnconnectedException {
    while (true) {
      try {
        return connect();
      } catch (SQLException e) {
        if (!patiently || System.nanoTime() - lostSince > CONNECT_TIMEOUT.toNanos()) {
          throw new UnconnectedException(dialect.explain("connecting", e));
        }
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }
}
