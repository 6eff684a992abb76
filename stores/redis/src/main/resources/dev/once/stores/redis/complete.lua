-- KEYS[1] the record. ARGV: 1 (the format) and the fence (16 digits); retention ms; the field answer, which is written
-- as it is: to join it with anything here would cost more than all the rest. Replies 1, or 0: not the owner.
local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  return 0
end
if string.sub(state, 1, 17) ~= ARGV[1] then
  return string.sub(state, 1, 1) == '1' and 0 or redis.error_reply('ONCEFORMAT record cannot be read')
end
if redis.call('HSETNX', KEYS[1], 'answer', ARGV[3]) == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  redis.pcall('PUBLISH', KEYS[1], '') -- a hint: whoever may not publish may still complete
else
  -- An earlier try, whose reply was lost, has recorded it, maybe on another connection: this writes on this one,
  -- because WAIT, which may follow, is about nothing else. The expiry stays as it is.
  local expires = redis.pcall('PEXPIRETIME', KEYS[1])
  if type(expires) == 'number' then
    redis.call('PEXPIREAT', KEYS[1], expires)
  else -- Redis 6 does not know it; this may move the expiry by a millisecond
    redis.call('PEXPIRE', KEYS[1], math.max(1, redis.call('PTTL', KEYS[1])))
  end
end
return 1
