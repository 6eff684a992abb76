-- 500 bytes of JSON, each with a key of its own. The address of a table tells runs and threads apart.
local body = '{"amount":1000,"currency":"EUR","account":"DE89370400440532013000","note":"' .. string.rep("x", 423) .. '"}'
local headers = { ["Content-Type"] = "application/json" }
local count = 0
local prefix = tostring({}):gsub("[^0-9a-f]", "") .. "-" .. os.time() .. "-"
function request()
  count = count + 1
  headers["Idempotency-Key"] = prefix .. count
  return wrk.format("POST", "/payments", headers, body)
end
