package dev.once.stores.jdbc;

/** The statements, in a dialect. Whatever has passed {@code ttl_at} is absent to all of them. */
record Sql(
    String find,
    String reserveFences,
    String insert,
    String replace,
    String complete,
    String isRecorded,
    String release,
    String renew,
    String purge,
    String forceRelease,
    String count) {

  static Sql in(Dialect dialect) {
    String now = dialect.now();
    String current = " WHERE id = ? AND fence = ? AND ttl_at > " + now;
    String running = current + " AND status = 'processing'";
    return new Sql(
        "SELECT request_hash, token, fence, attempt, status, created_at, lease_until, completed_at,"
            + (" ttl_at, lease_until - "
                + now
                + " AS lease_left, ttl_at - "
                + now
                + " AS ttl_left,")
            + " response_body"
            + (" FROM idempotency_keys WHERE id = ? AND ttl_at > " + now),
        "UPDATE once_meta SET value = value + ? WHERE name = 'fence' RETURNING value",
        dialect.insert(),
        "UPDATE idempotency_keys SET request_hash = ?, token = ?, fence = ?,"
            + (" attempt = CASE WHEN ttl_at > " + now + " THEN attempt + 1 ELSE 1 END,")
            + (" created_at = CASE WHEN ttl_at > " + now + " THEN created_at ELSE " + now + " END,")
            + (" lease_until = " + now + " + ?, ttl_at = " + now + " + ?,")
            + " status = 'processing', code = NULL, completed_at = NULL, response_body = NULL"
            + (" WHERE id = ? AND (ttl_at <= " + now + " OR (? AND status = 'processing'")
            + (" AND lease_until <= " + now + " AND request_hash = ? AND token <> ?))")
            + " RETURNING attempt",
        ("UPDATE idempotency_keys SET status = ?, code = ?, completed_at = " + now)
            + (", ttl_at = " + now + " + ?, response_body = ?")
            + running,
        "SELECT 1 FROM idempotency_keys" + current + " AND status <> 'processing'",
        "DELETE FROM idempotency_keys" + running,
        ("UPDATE idempotency_keys SET ttl_at = ttl_at - lease_until + " + now + " + ?")
            + (", lease_until = " + now + " + ?")
            + running,
        dialect.purge(),
        "DELETE FROM idempotency_keys" + current,
        "SELECT status, count(*),"
            + (" sum(CASE WHEN lease_until <= " + now + " THEN 1 ELSE 0 END)")
            + (" FROM idempotency_keys WHERE ttl_at > " + now + " GROUP BY status"));
  }
}
