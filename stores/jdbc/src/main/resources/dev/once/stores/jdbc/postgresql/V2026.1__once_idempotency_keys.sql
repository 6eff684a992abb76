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
  status        text     NOT NULL, -- processing, done or failed; a CHECK would be parsed anew by each statement
  code          integer, -- HTTP status or gRPC code
  created_at    bigint   NOT NULL,
  lease_until   bigint   NOT NULL,
  completed_at  bigint,
  ttl_at        bigint   NOT NULL,
  response_body bytea    -- the whole answer, encoded, and compressed already if it is large
) WITH (toast_tuple_target = 8160); -- a row that fits a page stays in one piece

ALTER TABLE idempotency_keys ALTER COLUMN response_body SET STORAGE EXTERNAL;

-- Each row is in one of these two: what runs is few, and is looked at by people and alerts.
CREATE INDEX idempotency_keys_ttl_at ON idempotency_keys (ttl_at) WHERE status <> 'processing';
CREATE INDEX idempotency_keys_status ON idempotency_keys (ttl_at) WHERE status = 'processing';

CREATE SEQUENCE once_fence;

CREATE TABLE once_meta (
  name  text   NOT NULL PRIMARY KEY,
  value bigint NOT NULL
);

-- Many steps in one statement: the elements of the arrays belong together, and no id is there twice. Rows are looked up
-- by their primary key, one by one and in the order of the arrays. Two things see to it that the planner never thinks of
-- anything else, however small or large the table and however stale its statistics: the sessions that call these have
-- settings (as settings of the functions they would be made and undone by each call), and the other conditions have forms
-- that no index can serve. (Told by ANALYZE that nothing runs, it would else look for each row among all that do.) Each
-- statement in here sees what was committed before it began.

-- Claims: writes a processing record where there is none, where it has expired, and where it may be taken over. Gives the
-- records as they are afterwards: whoever's token is in it has been granted it. A key that is not given became free in
-- this moment; ask again.
CREATE FUNCTION once_claim_1(
  ids bytea[], tokens bigint[], takeovers boolean[], leases bigint[], keeps bigint[], hashes bytea[],
  tenants text[], users text[], routes text[], keys bytea[])
RETURNS TABLE (id bytea, request_hash bytea, token bigint, fence bigint, attempt int, status text, time_left bigint,
  response_body bytea)
LANGUAGE plpgsql VOLATILE
AS $$
#variable_conflict use_column
DECLARE
  stamp bigint := date_part('epoch', clock_timestamp()) * 1000;
  written int;
BEGIN
  -- What is not free is not even tried, so that a replay writes nothing.
  RETURN QUERY INSERT INTO idempotency_keys AS k (id, tenant, user_id, route, key, request_hash, token, fence, attempt, status,
      created_at, lease_until, ttl_at)
    SELECT r.id, r.tenant, r.user_id, r.route, r.key, r.hash, r.token, nextval('once_fence'), 1, 'processing',
        stamp, stamp + r.lease, stamp + r.keep
      FROM unnest(ids, tokens, takeovers, leases, keeps, hashes, tenants, users, routes, keys)
        AS r (id, token, takeover, lease, keep, hash, tenant, user_id, route, key)
      WHERE NOT EXISTS (SELECT FROM idempotency_keys k WHERE k.id = r.id AND +k.ttl_at > stamp
        AND NOT (r.takeover AND k.status = 'processing' AND k.lease_until <= stamp AND k.request_hash = r.hash
          AND k.token <> r.token))
  -- Somebody else was faster, or there is one to replace: the condition is judged with the row as it is now. Its fence
  -- is taken while the row is held, and so is higher than the row's.
  ON CONFLICT (id) DO UPDATE SET
      request_hash = excluded.request_hash, token = excluded.token, fence = nextval('once_fence'),
      attempt = CASE WHEN k.ttl_at > stamp THEN k.attempt + 1 ELSE 1 END,
      created_at = CASE WHEN k.ttl_at > stamp THEN k.created_at ELSE stamp END,
      lease_until = excluded.lease_until, ttl_at = excluded.ttl_at,
      status = 'processing', code = NULL, completed_at = NULL, response_body = NULL
    WHERE k.ttl_at <= stamp OR (takeovers[array_position(ids, k.id)] AND k.status = 'processing'
      AND k.lease_until <= stamp AND k.request_hash = excluded.request_hash AND k.token <> excluded.token)
  RETURNING k.id, k.request_hash, k.token, k.fence, k.attempt, k.status, k.lease_until - stamp, NULL::bytea;

  -- What was not written just now; what was is given again, which does no harm.
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written < cardinality(ids) THEN
    RETURN QUERY SELECT k.id, k.request_hash, k.token, k.fence, k.attempt, k.status,
        CASE k.status WHEN 'processing' THEN k.lease_until ELSE k.ttl_at END - stamp, k.response_body
      FROM unnest(ids) AS r (id) JOIN idempotency_keys k ON k.id = r.id WHERE +k.ttl_at > stamp;
  END IF;
END
$$;

-- The same for a lone claim, which need not pay for arrays. Gives nulls if somebody else was faster; look then.
CREATE FUNCTION once_claim_one_1(
  an_id bytea, a_tenant text, a_user text, a_route text, a_key bytea, a_hash bytea, a_token bigint, more bigint,
  lease bigint, keep bigint, takeover boolean,
  OUT request_hash bytea, OUT token bigint, OUT fence bigint, OUT attempt int, OUT status text, OUT time_left bigint,
  OUT response_body bytea)
LANGUAGE plpgsql VOLATILE
AS $$
#variable_conflict use_column
DECLARE
  stamp bigint := date_part('epoch', clock_timestamp()) * 1000;
BEGIN
  SELECT k.request_hash, k.token, k.fence, k.attempt, k.status,
      CASE k.status WHEN 'processing' THEN k.lease_until ELSE k.ttl_at END - stamp, k.response_body
    INTO request_hash, token, fence, attempt, status, time_left, response_body
    FROM idempotency_keys k WHERE k.id = an_id AND +k.ttl_at > stamp
      AND NOT (takeover AND k.status = 'processing' AND k.lease_until <= stamp AND k.request_hash = a_hash
        AND k.token <> a_token);
  IF NOT FOUND THEN
    INSERT INTO idempotency_keys AS k (id, tenant, user_id, route, key, request_hash, token, fence, attempt, status,
        created_at, lease_until, ttl_at)
      VALUES (an_id, a_tenant, a_user, a_route, a_key, a_hash, a_token, more + nextval('once_fence'), 1,
        'processing', stamp, stamp + lease, stamp + keep)
    ON CONFLICT (id) DO UPDATE SET
        request_hash = excluded.request_hash, token = excluded.token, fence = nextval('once_fence'),
        attempt = CASE WHEN k.ttl_at > stamp THEN k.attempt + 1 ELSE 1 END,
        created_at = CASE WHEN k.ttl_at > stamp THEN k.created_at ELSE stamp END,
        lease_until = excluded.lease_until, ttl_at = excluded.ttl_at,
        status = 'processing', code = NULL, completed_at = NULL, response_body = NULL
      WHERE k.ttl_at <= stamp OR (takeover AND k.status = 'processing'
        AND k.lease_until <= stamp AND k.request_hash = excluded.request_hash AND k.token <> excluded.token)
    RETURNING k.request_hash, k.token, k.fence, k.attempt, k.status, k.lease_until - stamp
      INTO request_hash, token, fence, attempt, status, time_left;
  END IF;
END
$$;

-- Records answers. Gives the ids of those that are recorded, now or by an earlier try whose reply was lost.
CREATE FUNCTION once_complete_1(
  ids bytea[], fences bigint[], statuses text[], codes int[], retentions bigint[], answers bytea[])
RETURNS SETOF bytea
LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
  stamp bigint := date_part('epoch', clock_timestamp()) * 1000;
  recorded int;
BEGIN
  RETURN QUERY UPDATE idempotency_keys k SET status = r.status, code = r.code, completed_at = stamp,
      ttl_at = stamp + r.retention, response_body = r.answer
    FROM unnest(ids, fences, statuses, codes, retentions, answers) AS r (id, fence, status, code, retention, answer)
    WHERE k.id = r.id AND k.fence = r.fence AND +k.ttl_at > stamp
      AND CASE k.status WHEN 'processing' THEN true ELSE false END
    RETURNING k.id;
  GET DIAGNOSTICS recorded = ROW_COUNT;
  IF recorded < cardinality(ids) THEN
    RETURN QUERY SELECT k.id FROM unnest(ids, fences) AS r (id, fence) JOIN idempotency_keys k ON k.id = r.id
      WHERE k.fence = r.fence AND +k.ttl_at > stamp AND CASE k.status WHEN 'processing' THEN false ELSE true END;
  END IF;
END
$$;

-- Renews leases (the length is greater than 0), releases keys (0), or releases them for a person, whatever their status
-- (-1). Gives the ids of those for which it was done. What is released is expired, not deleted: whoever claims it next
-- takes a fence while holding the row, and so a higher one. It expired long ago, not just now: a completion that began
-- earlier and waited for the row judges it by an earlier time.
CREATE FUNCTION once_own_1(ids bytea[], fences bigint[], lengths bigint[])
RETURNS SETOF bytea
LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
  stamp bigint := date_part('epoch', clock_timestamp()) * 1000;
BEGIN
  RETURN QUERY UPDATE idempotency_keys k SET
      ttl_at = CASE WHEN r.length > 0 THEN k.ttl_at - k.lease_until + stamp + r.length ELSE 0 END,
      lease_until = CASE WHEN r.length > 0 THEN stamp + r.length ELSE k.lease_until END,
      completed_at = CASE WHEN r.length > 0 THEN NULL ELSE stamp END
    FROM unnest(ids, fences, lengths) AS r (id, fence, length)
    WHERE k.id = r.id AND k.fence = r.fence AND +k.ttl_at > stamp
      AND (r.length < 0 OR CASE k.status WHEN 'processing' THEN true ELSE false END)
    RETURNING k.id;
END
$$;

INSERT INTO once_meta (name, value) VALUES ('schema', 1);
