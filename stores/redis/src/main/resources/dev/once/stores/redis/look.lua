-- KEYS[1] a record. Replies its status (d, f or p) and, of p, the end of its lease in ms; nothing if there is none.
local answer = redis.call('HGET', KEYS[1], 'answer')
if answer then
  return string.sub(answer, 1, 1)
end
local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  return state
end
local lease = string.match(state, '^%S+ (%d+) ', 84)
return lease and 'p' .. string.sub(state, 31, 43) + lease or 'p'
