-- KEYS[1] the record. ARGV: token. Replies 1, or 0: it is another's, or it has an answer, or there is none.
local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  return 0
end
if string.sub(state, 1, 1) ~= '1' then
  return redis.error_reply('ONCEFORMAT record cannot be read')
end
if string.match(state, '^%S+', 84) ~= ARGV[1] or redis.call('HEXISTS', KEYS[1], 'answer') == 1 then
  return 0
end
redis.call('DEL', KEYS[1])
redis.pcall('PUBLISH', KEYS[1], '') -- a hint: whoever may not publish may still withdraw
return 1
