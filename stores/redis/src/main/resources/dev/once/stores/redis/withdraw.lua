-- KEYS[1] the record. ARGV: token; 1 if replicas have to confirm, else nothing
-- Replies 1, or 0: it is another's, or it has an answer, or there is none.
local state = redis.call('HGET', KEYS[1], 'state')
-- For replicas it writes, and changes nothing: WAIT, which follows, is about writes of its own connection, and the one
-- that removed the claim may have been another's.
local function none()
  if ARGV[2] then
    redis.call('HSET', KEYS[1], 'state', state or '')
    if not state then
      redis.call('DEL', KEYS[1])
    end
  end
  return 0
end
if not state then
  return none()
end
if string.sub(state, 1, 1) ~= '1' then
  return redis.error_reply('ONCEFORMAT record cannot be read')
end
if string.match(state, '^%S+', 84) ~= ARGV[1] or redis.call('HEXISTS', KEYS[1], 'answer') == 1 then
  return none()
end
redis.call('DEL', KEYS[1])
redis.pcall('PUBLISH', KEYS[1], '') -- a hint: whoever may not publish may still withdraw
return 1
