-- 500 bytes of JSON, always with the same key.
wrk.method = "POST"
wrk.body = '{"amount":1000,"currency":"EUR","account":"DE89370400440532013000","note":"' .. string.rep("x", 423) .. '"}'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Idempotency-Key"] = "550e8400-e29b-41d4-a716-446655440000"
