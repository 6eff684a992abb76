-- KEYS[1] the record. ARGV[1] "fence length-ms". Replies 1, or 0: not the owner, or it has an answer.
local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  return 0
end
local fence, length = string.match(ARGV[1], '^(%d+) (%d+)$')
local s, f, middle, ends, expires, named =
    string.match(state, '^1 (%a) (%d+) (%d+ %S+ %d+) (%d+) (%d+) %d+ (.*)$')
if not s then
  return redis.error_reply('ONCEFORMAT record cannot be read')
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if f ~= fence or s ~= 'p' or tonumber(expires) <= now then
  return 0
end
local later = now + length
expires = string.format('%.0f', expires + later - ends)
redis.call('HSET', KEYS[1], 'state',
    string.format('1 p %s %s %.0f %s 0 ', f, middle, later, expires) .. named)
redis.call('PEXPIREAT', KEYS[1], expires)
return 1
