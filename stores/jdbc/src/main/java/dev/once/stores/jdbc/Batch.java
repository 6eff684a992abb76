package dev.once.stores.jdbc;

import java.sql.SQLException;
import java.util.List;

/** How a database takes several steps in one transaction. */
interface Batch {

  /**
   * Takes the steps, in this order, and commits.
   *
   * @return for each step what it gives, or the {@link RuntimeException} that it alone fails with
   */
  List<Object> run(Session session, List<Step<?>> steps) throws SQLException;

  /**
   * Takes one step, which has not been looked at before.
   *
   * @return as above
   */
  default Object runOne(Session session, Step<?> step) throws SQLException {
    return run(session, List.of(step)).get(0);
  }
}
