-- liquibase formatted sql
-- changeset once:2026.1

-- Schema version 1 of Once for MariaDB 10.6 and later. Times are milliseconds since 1970 by the server's clock: numbers,
-- so that no session's time zone has a say. Works as it is with Flyway, with Liquibase, with mariadb, and with Once itself.

CREATE TABLE IF NOT EXISTS idempotency_keys (
  id            BINARY(32)     NOT NULL PRIMARY KEY, -- SHA-256 of tenant, user, route and key
  tenant        VARCHAR(512)   NOT NULL,
  user_id       VARCHAR(512)   NOT NULL,
  route         VARCHAR(512)   NOT NULL,
  `key`         VARBINARY(4096) NOT NULL,
  request_hash  VARBINARY(64)  NOT NULL, -- the fingerprint: version and SHA-256
  token         BIGINT         NOT NULL, -- of the claim that was granted
  fence         BIGINT         NOT NULL,
  attempt       INT            NOT NULL,
  status        ENUM('processing', 'done', 'failed') NOT NULL,
  code          INT, -- HTTP status or gRPC code
  created_at    BIGINT         NOT NULL,
  lease_until   BIGINT         NOT NULL,
  completed_at  BIGINT,
  ttl_at        BIGINT         NOT NULL,
  response_body LONGBLOB, -- the whole answer, encoded, and compressed already
  INDEX idempotency_keys_ttl_at (ttl_at),
  INDEX idempotency_keys_status (status, ttl_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE SEQUENCE IF NOT EXISTS once_fence ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS once_meta (
  name  VARCHAR(64) NOT NULL PRIMARY KEY,
  value BIGINT      NOT NULL
) ENGINE = InnoDB;

INSERT IGNORE INTO once_meta (name, value) VALUES ('schema', 1);
