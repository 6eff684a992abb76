-- KEYS[1] a record. Replies its status (d, f or p) and, of p, the end of its lease in ms; nothing if there is none.
local answer = redis.call('HGET', KEYS[1], 'answer')
if answer then
  return string.sub(answer, 34, 34)
end
local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  return state
end
local start, lease = string.match(state, '^ %d+ %S+ %d+ (%d+) (%d+) ', 51)
return start and 'p' .. start + lease or 'p'
