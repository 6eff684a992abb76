-- KEYS[1] the record. ARGV[1] "lease-ms lease-and-retention-ms takeover token ", fingerprint (33 bytes), name
-- Replies: the field answer, if it has ended        fence (a number): granted, the first attempt
--          {2, fence, attempt} granted              {3, fingerprint, ms left} busy
--          {4, fingerprint, fence} abandoned
local answer = redis.call('HGET', KEYS[1], 'answer')
if answer then
  return answer -- a replay costs no more than this; Redis itself drops what has expired
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local fence = time[1] * 1000000 + time[2]
local lease, total, takeover, token, at = string.match(ARGV[1], '^(%d+) (%d+) (%d) (%S+) ()')
local asked = string.sub(ARGV[1], at, at + 32)
local name = string.sub(ARGV[1], at + 33)
local expires = now + total
-- A first request ends here. Numbers of milliseconds are short enough for Lua to write them out whole.
local set = redis.pcall('HSETNX', KEYS[1], 'state', '1' .. asked .. string.format('%016.0f', fence)
    .. ' 1 ' .. token .. ' ' .. now .. ' ' .. now + lease .. ' ' .. expires .. ' ' .. name)
if set == 1 then
  redis.call('PEXPIREAT', KEYS[1], expires)
  return fence
end
local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  return set -- it could not be written: the server is full, say. What is there can still be told, below
end
local fingerprint, f, attempt, owner, requested, ends, expired = string.match(state,
    '^1(.................................)(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d) (%d+) (%S+) (%d+) (%d+) (%d+) ')
if not f then
  return redis.error_reply('ONCEFORMAT record cannot be read')
end
if tonumber(expired) > now then
  if owner == token then
    return {2, f, attempt} -- an earlier try of this claim, whose reply was lost
  end
  if tonumber(ends) > now then
    return {3, fingerprint, tonumber(ends) - now}
  end
  if takeover ~= '1' or fingerprint ~= asked then
    return {4, fingerprint, f}
  end
  attempt = attempt + 1
else
  attempt = 1
  requested = now
end
fence = string.format('%016.0f', math.max(f + 1, fence))
redis.call('HSET', KEYS[1], 'state', '1' .. asked .. fence .. ' ' .. attempt .. ' ' .. token
    .. ' ' .. requested .. ' ' .. now + lease .. ' ' .. expires .. ' ' .. name)
redis.call('PEXPIREAT', KEYS[1], expires)
return {2, fence, tostring(attempt)}
