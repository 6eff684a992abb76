package dev.once.stores.jdbc;

/**
 * The statements that the databases share. Whatever has passed {@code ttl_at} is absent to all of
 * them.
 */
record Sql(
    String find,
    String count,
    String complete,
    String record,
    String free,
    String release,
    String withdraw,
    String renew,
    String forceRelease) {

  static Sql in(Dialect dialect) {
    String now = dialect.now();
    // In forms that no index can serve: a planner that believes that nothing runs, or that all has
    // expired, would else look for the row among all that do run, or that have not.
    String alive = " AND ttl_at + 0 > " + now;
    String isProcessing = " AND CASE status WHEN 'processing' THEN 1 ELSE 0 END = 1";
    String current = " WHERE id = ? AND fence = ?" + alive;
    String running = current + isProcessing;
    String held = " WHERE id = ? AND fence = ?" + isProcessing;
    String once = " = CASE status WHEN 'processing' THEN ";
    return new Sql(
        "SELECT "
            + columns(now)
            + ", created_at, lease_until, completed_at, ttl_at"
            + (" FROM idempotency_keys WHERE id = ?" + alive),
        "SELECT status, count(*),"
            + (" sum(CASE WHEN lease_until <= " + now + " THEN 1 ELSE 0 END)")
            + (" FROM idempotency_keys WHERE ttl_at > " + now + " GROUP BY status"),
        // A second try, after a lost reply, finds the row too, and leaves it as it is. The status
        // is
        // set last: MariaDB goes from left to right, and what is set is seen by what follows.
        ("UPDATE idempotency_keys SET code" + once + "? ELSE code END")
            + (", completed_at" + once + now + " ELSE completed_at END")
            + (", ttl_at" + once + now + " + ? ELSE ttl_at END")
            + (", response_body" + once + "? ELSE response_body END")
            + (", status" + once + "? ELSE status END")
            + current,
        // These two are for a transaction that has held the row since it claimed it: time has no
        // say.
        ("UPDATE idempotency_keys SET code = ?, completed_at = " + now)
            + (", ttl_at = " + now + " + ?, response_body = ?, status = ?")
            + held,
        "UPDATE idempotency_keys SET ttl_at = 0, completed_at = " + now + held,
        // Expired, not deleted: whoever claims it next takes a fence while holding this row, and so
        // a higher one. And long ago: a completion that waited for the row may judge it by an
        // earlier time.
        "UPDATE idempotency_keys SET ttl_at = 0, completed_at = " + now + running,
        // Whoever withdraws never heard of a fence: the token says whose record it is.
        ("UPDATE idempotency_keys SET ttl_at = 0, completed_at = " + now)
            + (" WHERE id = ? AND token = ?" + alive + isProcessing),
        ("UPDATE idempotency_keys SET ttl_at = ttl_at - lease_until + " + now + " + ?")
            + (", lease_until = " + now + " + ?")
            + running,
        "UPDATE idempotency_keys SET ttl_at = 0, completed_at = " + now + current);
  }

  /** What a claim needs to know of a record. */
  static String columns(String now) {
    return "request_hash, token, fence, attempt, status,"
        + (" CASE status WHEN 'processing' THEN lease_until ELSE ttl_at END - " + now)
        + " AS time_left, response_body";
  }
}
