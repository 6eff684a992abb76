-- KEYS[1] a record. Replies {state, answer, when it expires in ms}; nothing if there is none.
local found = redis.call('HMGET', KEYS[1], 'state', 'answer')
if not found[1] and not found[2] then
  return false
end
local expires = redis.pcall('PEXPIRETIME', KEYS[1])
if type(expires) == 'table' then -- Redis 6 does not know it; this may be a millisecond off
  local time = redis.call('TIME')
  expires = time[1] .. string.sub('00000' .. time[2], -6, -4)
  expires = expires + redis.call('PTTL', KEYS[1])
end
return {found[1], found[2], expires}
