-- KEYS[1] the record. ARGV[1] "fence retention-ms status", ARGV[2] the answer. Replies 1, or 0: not the owner.
local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  return 0
end
local fence, retention, status = string.match(ARGV[1], '^(%d+) (%d+) (%a)$')
local s, f, rest, expires, named =
    string.match(state, '^1 (%a) (%d+) (%d+ %S+ %d+ %d+) (%d+) %d+ (.*)$')
if not s then
  return redis.error_reply('ONCEFORMAT record cannot be read')
end
if f ~= fence then
  return 0
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if tonumber(expires) <= now then
  return 0
end
if s ~= 'p' then
  return 1 -- an earlier try, whose reply was lost, has recorded it
end
expires = string.format('%.0f', now + retention)
redis.call('HSET', KEYS[1], 'answer', string.sub(named, 1, 33) .. ARGV[2], 'state',
    string.format('1 %s %s %s %s %.0f ', status, f, rest, expires, now) .. named)
redis.call('PEXPIREAT', KEYS[1], expires)
redis.pcall('PUBLISH', KEYS[1], '') -- a hint: whoever may not publish may still complete
return 1
