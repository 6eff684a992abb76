-- KEYS[1] the record. ARGV[1] fingerprint (33 bytes), then "token lease-ms retention-ms takeover name"
-- Replies: the field answer, if it has ended        {2, fence, attempt} granted
--          {3, fingerprint, ms left} busy           {4, fingerprint, fence} abandoned
local answer = redis.call('HGET', KEYS[1], 'answer')
if answer then
  return answer -- a replay costs no more than this; Redis itself drops what has expired
end
local state = redis.call('HGET', KEYS[1], 'state')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local token, lease, retention, takeover, name =
    string.match(ARGV[1], '^(%S+) (%d+) (%d+) (%d) (.*)$', 34)
local asked = string.sub(ARGV[1], 1, 33)
local fence, attempt, requested = 0, 1, now
if state then
  local f, a, owner, r, ends, expires, fingerprint = string.match(state,
      '^1 p (%d+) (%d+) (%S+) (%d+) (%d+) (%d+) 0 (.................................)')
  if not f then
    return redis.error_reply('ONCEFORMAT record cannot be read')
  end
  if tonumber(expires) > now then
    if owner == token then
      return {2, f, a}
    end
    if tonumber(ends) > now then
      return {3, fingerprint, tonumber(ends) - now}
    end
    if takeover ~= '1' or fingerprint ~= asked then
      return {4, fingerprint, f}
    end
    attempt = a + 1
    requested = tonumber(r)
  end
  fence = tonumber(f)
end
fence = string.format('%.0f', math.max(fence + 1, time[1] * 1000000 + time[2]))
local ends = now + lease
local expires = string.format('%.0f', ends + retention)
redis.call('HSET', KEYS[1], 'state', string.format('1 p %s %d %s %.0f %.0f %s 0 ',
    fence, attempt, token, requested, ends, expires) .. asked .. name)
redis.call('PEXPIREAT', KEYS[1], expires)
return {2, fence, tostring(attempt)}
