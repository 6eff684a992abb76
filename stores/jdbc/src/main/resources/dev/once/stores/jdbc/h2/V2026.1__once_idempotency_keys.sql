-- liquibase formatted sql
-- changeset once:2026.1

-- Schema version 1 of Once for H2 2.3 and later, in each of its compatibility modes. Times are milliseconds since 1970.
-- Works as it is with Flyway, with Liquibase, and with Once itself. "key" and "value" are keywords: backquotes are H2's
-- quotes that leave a name in the same case as all other names.

-- The clock of the process that H2 runs in: CURRENT_TIMESTAMP is the time at which the transaction began.
CREATE ALIAS IF NOT EXISTS once_now FOR 'java.lang.System.currentTimeMillis';

CREATE TABLE IF NOT EXISTS idempotency_keys (
  id            BINARY(32)     NOT NULL PRIMARY KEY, -- SHA-256 of tenant, user, route and key
  tenant        VARCHAR(512), -- these three may be empty, which is null in the mode of Oracle
  user_id       VARCHAR(512),
  route         VARCHAR(512),
  `key`         VARBINARY(4096) NOT NULL,
  request_hash  VARBINARY(64)  NOT NULL, -- the fingerprint: version and SHA-256
  token         BIGINT         NOT NULL, -- of the claim that was granted
  fence         BIGINT         NOT NULL,
  attempt       INT            NOT NULL,
  status        VARCHAR(10)    NOT NULL, -- processing, done or failed
  code          INT, -- HTTP status or gRPC code
  created_at    BIGINT         NOT NULL,
  lease_until   BIGINT         NOT NULL,
  completed_at  BIGINT,
  ttl_at        BIGINT         NOT NULL,
  response_body BINARY LARGE OBJECT -- the whole answer, encoded, and compressed already
);

CREATE INDEX IF NOT EXISTS idempotency_keys_ttl_at ON idempotency_keys (ttl_at);

CREATE INDEX IF NOT EXISTS idempotency_keys_status ON idempotency_keys (status, ttl_at);

-- A claim that waits for an insert of another takes a number with each of its tries.
CREATE SEQUENCE IF NOT EXISTS once_fence CACHE 100000;

CREATE TABLE IF NOT EXISTS once_meta (
  name    VARCHAR(64) NOT NULL PRIMARY KEY,
  `value` BIGINT      NOT NULL
);

MERGE INTO once_meta (name, `value`) KEY (name) VALUES ('schema', 1);
