-- 500 bytes of JSON, without a key.
wrk.method = "POST"
wrk.body = '{"amount":1000,"currency":"EUR","account":"DE89370400440532013000","note":"' .. string.rep("x", 423) .. '"}'
wrk.headers["Content-Type"] = "application/json"
