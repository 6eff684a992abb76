-- KEYS[1] the record. ARGV: fence (16 digits), retention ms, status (d or f), answer. Replies 1, or 0: not the owner.
local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  return 0
end
if string.sub(state, 1, 1) ~= '1' then
  return redis.error_reply('ONCEFORMAT record cannot be read')
end
if string.sub(state, 35, 50) ~= ARGV[1] then
  return 0
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local expires = now + ARGV[2]
-- If there is one already, an earlier try, whose reply was lost, has recorded it.
if redis.call('HSETNX', KEYS[1], 'answer', string.sub(state, 2, 34) .. ARGV[3]
    .. string.format('%013.0f%013.0f', now, expires) .. ARGV[4]) == 1 then
  redis.call('PEXPIREAT', KEYS[1], expires)
  redis.pcall('PUBLISH', KEYS[1], '') -- a hint: whoever may not publish may still complete
end
return 1
