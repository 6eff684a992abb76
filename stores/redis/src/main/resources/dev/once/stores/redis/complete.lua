-- KEYS[1] the record. ARGV: fence (16 digits), status (d or f), retention (13 digits); retention ms; answer.
-- Replies 1, or 0: not the owner.
local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  return 0
end
if string.sub(state, 1, 1) ~= '1' then
  return redis.error_reply('ONCEFORMAT record cannot be read')
end
if string.sub(state, 2, 17) ~= string.sub(ARGV[1], 1, 16) then
  return 0
end
local time = redis.call('TIME')
-- If there is one already, an earlier try, whose reply was lost, has recorded it.
if redis.call('HSETNX', KEYS[1], 'answer', string.sub(state, 50, 82) .. string.sub(ARGV[1], 17)
    .. time[1] .. string.sub('00000' .. time[2], -6, -4) .. ARGV[3]) == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  redis.pcall('PUBLISH', KEYS[1], '') -- a hint: whoever may not publish may still complete
end
return 1
