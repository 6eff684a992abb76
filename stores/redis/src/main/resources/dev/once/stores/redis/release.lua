-- KEYS[1] the record. ARGV: fence (16 digits), force (1 or 0). Replies 1, or 0: not the owner, or it has an answer.
local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  return 0
end
if string.sub(state, 1, 1) ~= '1' then
  return redis.error_reply('ONCEFORMAT record cannot be read')
end
if string.sub(state, 2, 17) ~= ARGV[1]
    or (ARGV[2] ~= '1' and redis.call('HEXISTS', KEYS[1], 'answer') == 1) then
  return 0
end
redis.call('DEL', KEYS[1])
redis.pcall('PUBLISH', KEYS[1], '') -- a hint: whoever may not publish may still release
return 1
