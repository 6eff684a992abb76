-- KEYS[1] a record. Replies its status (d, f or p) and, of p, the end of its lease in ms; nothing if there is none.
local answer = redis.call('HGET', KEYS[1], 'answer')
if answer then
  return string.sub(answer, 34, 34)
end
local state = redis.call('HGET', KEYS[1], 'state')
return state and 'p' .. (string.match(state, '^ %d+ %S+ %d+ (%d+) ', 51) or '')
