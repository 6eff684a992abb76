-- KEYS[1] the record. ARGV[1] "fence force", force is 1 or 0. Replies 1, or 0: not the owner, or it has an answer.
local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  return 0
end
local fence, force = string.match(ARGV[1], '^(%d+) (%d)$')
local s, f, expires = string.match(state, '^1 (%a) (%d+) %d+ %S+ %d+ %d+ (%d+) ')
if not s then
  return redis.error_reply('ONCEFORMAT record cannot be read')
end
if f ~= fence or (s ~= 'p' and force ~= '1') then
  return 0
end
local time = redis.call('TIME')
if tonumber(expires) <= time[1] * 1000 + math.floor(time[2] / 1000) then
  return 0
end
redis.call('DEL', KEYS[1])
redis.pcall('PUBLISH', KEYS[1], '') -- a hint: whoever may not publish may still release
return 1
