-- liquibase formatted sql
-- changeset once:2026.1 splitStatements:false

-- Schema version 1 of Once for PostgreSQL 12 and later. Times are milliseconds since 1970 by the server's clock: numbers,
-- so that no session's time zone has a say. Works as it is with Flyway, with Liquibase, with psql, and with Once itself.

CREATE TABLE idempotency_keys (
  id            bytea    NOT NULL PRIMARY KEY, -- SHA-256 of tenant, user, route and key
  tenant        text     NOT NULL,
  user_id       text     NOT NULL,
  route         text     NOT NULL,
  key           bytea    NOT NULL,
  request_hash  bytea    NOT NULL, -- the fingerprint: version and SHA-256
  token         bigint   NOT NULL, -- of the claim that was granted
  fence         bigint   NOT NULL,
  attempt       integer  NOT NULL,
  status        text     NOT NULL CHECK (status IN ('processing', 'done', 'failed')),
  code          integer, -- HTTP status or gRPC code
  created_at    bigint   NOT NULL,
  lease_until   bigint   NOT NULL,
  completed_at  bigint,
  ttl_at        bigint   NOT NULL,
  response_body bytea    -- the whole answer, encoded, and compressed already
);

ALTER TABLE idempotency_keys ALTER COLUMN response_body SET STORAGE EXTERNAL;

-- Each row is in one of these two: what runs is few, and is looked at by people and alerts.
CREATE INDEX idempotency_keys_ttl_at ON idempotency_keys (ttl_at) WHERE status <> 'processing';
CREATE INDEX idempotency_keys_status ON idempotency_keys (ttl_at) WHERE status = 'processing';

CREATE SEQUENCE once_fence;

CREATE TABLE once_meta (
  name  text   NOT NULL PRIMARY KEY,
  value bigint NOT NULL
);

-- Many steps in one statement, in the order given: one round trip, one commit. Each is a lookup of one row by its primary
-- key, so there is no plan to go wrong, however large the table and however stale its statistics.
--
-- what: 1 claim, 2 claim that may take over, 3 complete as done, 4 complete as failed, 5 release, 6 renew,
--       7 release by a person.
-- a:    the token of a claim; else the fence
-- b, c: lease, and lease + retention (claim); retention, and code (complete); length of the lease (renew)
-- data: the fingerprint (claim); the answer (complete)
--
-- For a claim, one row: the record as it is now. Whoever has the token has been granted it. For the rest, whether it was done.
CREATE FUNCTION once_steps_1(
  what int[], ids bytea[], a bigint[], b bigint[], c bigint[], data bytea[],
  tenants text[], users text[], routes text[], keys bytea[])
RETURNS TABLE (step int, done boolean, request_hash bytea, token bigint, fence bigint, attempt int,
  status text, time_left bigint, response_body bytea)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
  this bytea;
  stamp bigint;
BEGIN
  FOR i IN 1 .. cardinality(what) LOOP
    this := ids[i];
    step := i;
    IF what[i] <= 2 THEN
      LOOP
        stamp := date_part('epoch', clock_timestamp()) * 1000;
        SELECT k.request_hash, k.token, k.fence, k.attempt, k.status,
            CASE k.status WHEN 'processing' THEN k.lease_until ELSE k.ttl_at END - stamp, k.response_body
          INTO request_hash, token, fence, attempt, status, time_left, response_body
          FROM idempotency_keys k WHERE k.id = this AND k.ttl_at > stamp;
        EXIT WHEN FOUND AND NOT (what[i] = 2 AND status = 'processing' AND time_left <= 0
          AND request_hash = data[i] AND token <> a[i]);
        -- Free, as it seems. If somebody else is faster, the condition is judged again with their row and the time then.
        INSERT INTO idempotency_keys AS k (id, tenant, user_id, route, key, request_hash, token, fence, attempt, status,
            created_at, lease_until, ttl_at)
          VALUES (this, tenants[i], users[i], routes[i], keys[i], data[i], a[i], nextval('once_fence'), 1, 'processing',
            stamp, stamp + b[i], stamp + c[i])
          ON CONFLICT (id) DO UPDATE SET
            request_hash = excluded.request_hash, token = excluded.token, fence = nextval('once_fence'),
            attempt = CASE WHEN k.ttl_at > excluded.created_at THEN k.attempt + 1 ELSE 1 END,
            created_at = CASE WHEN k.ttl_at > excluded.created_at THEN k.created_at ELSE excluded.created_at END,
            lease_until = excluded.lease_until, ttl_at = excluded.ttl_at,
            status = 'processing', code = NULL, completed_at = NULL, response_body = NULL
          WHERE k.ttl_at <= excluded.created_at OR (what[i] = 2 AND k.status = 'processing'
            AND k.lease_until <= excluded.created_at AND k.request_hash = excluded.request_hash
            AND k.token <> excluded.token)
          RETURNING k.request_hash, k.token, k.fence, k.attempt, k.status, b[i], NULL
          INTO request_hash, token, fence, attempt, status, time_left, response_body;
        EXIT WHEN FOUND;
      END LOOP;
      done := true;
    ELSE
      stamp := date_part('epoch', clock_timestamp()) * 1000;
      IF what[i] <= 4 THEN
        UPDATE idempotency_keys k SET status = CASE what[i] WHEN 3 THEN 'done' ELSE 'failed' END, code = c[i],
            completed_at = stamp, ttl_at = stamp + b[i], response_body = data[i]
          WHERE k.id = this AND k.fence = a[i] AND k.ttl_at > stamp AND k.status = 'processing';
        IF NOT FOUND THEN -- an earlier try, whose reply was lost, may have recorded it
          PERFORM 1 FROM idempotency_keys k
            WHERE k.id = this AND k.fence = a[i] AND k.ttl_at > stamp AND k.status <> 'processing';
        END IF;
      ELSIF what[i] = 5 THEN
        -- Expired, not deleted: whoever claims it next takes a fence while holding this row, and so a higher one.
        UPDATE idempotency_keys k SET ttl_at = stamp
          WHERE k.id = this AND k.fence = a[i] AND k.ttl_at > stamp AND k.status = 'processing';
      ELSIF what[i] = 6 THEN
        UPDATE idempotency_keys k SET ttl_at = k.ttl_at - k.lease_until + stamp + b[i], lease_until = stamp + b[i]
          WHERE k.id = this AND k.fence = a[i] AND k.ttl_at > stamp AND k.status = 'processing';
      ELSE
        UPDATE idempotency_keys k SET ttl_at = stamp
          WHERE k.id = this AND k.fence = a[i] AND k.ttl_at > stamp;
      END IF;
      done := FOUND;
      response_body := NULL; -- an earlier claim's
    END IF;
    RETURN NEXT;
  END LOOP;
END
$$;

INSERT INTO once_meta (name, value) VALUES ('schema', 1);
