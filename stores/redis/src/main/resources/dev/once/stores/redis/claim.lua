-- KEYS[1] the record. ARGV: fingerprint, token, lease ms, retention ms, takeover (1 or 0), name
-- Replies: {1, fingerprint, answer} finished   {2, fence, attempt} granted
--          {3, fingerprint, ms left} busy      {4, fingerprint, fence} abandoned
local answer, fingerprint, state = unpack(redis.call('HMGET', KEYS[1], 'answer', 'request', 'state'))
if answer then
  return {1, fingerprint, answer} -- a replay costs no more than this; Redis itself drops what has expired
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local fence, attempt, requested = 0, 1, now
if state then
  local s, f, a, token, r, ends, expires =
      string.match(state, '^1 (%a) (%d+) (%d+) (%-?%d+) (%d+) (%d+) (%d+)')
  if s ~= 'p' or not fingerprint then
    return redis.error_reply('ONCEFORMAT record cannot be read')
  end
  if tonumber(expires) > now then
    if token == ARGV[2] then
      return {2, f, a}
    end
    if tonumber(ends) > now then
      return {3, fingerprint, tonumber(ends) - now}
    end
    if ARGV[5] ~= '1' or fingerprint ~= ARGV[1] then
      return {4, fingerprint, f}
    end
    attempt = a + 1
    requested = tonumber(r)
  end
  fence = tonumber(f)
elseif fingerprint then
  return redis.error_reply('ONCEFORMAT record cannot be read')
end
fence = string.format('%.0f', math.max(fence + 1, time[1] * 1000000 + time[2]))
local ends = now + ARGV[3]
local expires = string.format('%.0f', ends + ARGV[4])
redis.call('HSET', KEYS[1], 'request', ARGV[1], 'state',
    string.format('1 p %s %d %s %.0f %.0f %s', fence, attempt, ARGV[2], requested, ends, expires),
    'name', ARGV[6])
redis.call('PEXPIREAT', KEYS[1], expires)
return {2, fence, tostring(attempt)}
