-- Schema version 1 for SQLite. Times are milliseconds since 1970, by the clock of SQLite.

CREATE TABLE idempotency_keys (
  id           BLOB    NOT NULL UNIQUE, -- SHA-256 of tenant, user, route and key
  tenant       TEXT    NOT NULL,
  user_id      TEXT    NOT NULL,
  route        TEXT    NOT NULL,
  key          BLOB    NOT NULL,
  request_hash BLOB    NOT NULL, -- the fingerprint: version and SHA-256
  token        INTEGER NOT NULL, -- of the claim that was granted
  fence        INTEGER NOT NULL,
  attempt      INTEGER NOT NULL,
  status       TEXT    NOT NULL CHECK (status IN ('processing', 'done', 'failed')),
  code         INTEGER, -- HTTP status or gRPC code
  created_at   INTEGER NOT NULL,
  lease_until  INTEGER NOT NULL,
  completed_at INTEGER,
  ttl_at       INTEGER NOT NULL,
  response_body BLOB    -- the whole answer, encoded; last, so that the rest is read without it
);

-- Each row is in one of these two: what runs is few, and is looked at by people and alerts.
CREATE INDEX idempotency_keys_ttl_at ON idempotency_keys (ttl_at) WHERE status <> 'processing';

CREATE INDEX idempotency_keys_status ON idempotency_keys (ttl_at) WHERE status = 'processing';

CREATE TABLE once_meta (
  name  TEXT    NOT NULL PRIMARY KEY,
  value INTEGER NOT NULL
);

INSERT INTO once_meta (name, value) VALUES ('schema', 1), ('fence', 0);
