-- KEYS[1] the record. ARGV: fence (16 digits), length ms. Replies 1, or 0: not the owner, or it has an answer.
local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  return 0
end
if string.sub(state, 1, 1) ~= '1' then
  return redis.error_reply('ONCEFORMAT record cannot be read')
end
if string.sub(state, 2, 17) ~= ARGV[1] or redis.call('HEXISTS', KEYS[1], 'answer') == 1 then
  return 0
end
local token, lease, total, name = string.match(state, '^(%S+ )(%d+) (%d+)( .*)$', 84)
local time = redis.call('TIME')
total = tostring(total - lease + ARGV[2])
redis.call('HSET', KEYS[1], 'state', string.sub(state, 1, 30) .. time[1] .. string.sub('00000' .. time[2], -6, -4)
    .. string.sub(state, 44, 83) .. token .. ARGV[2] .. ' ' .. total .. name)
redis.call('PEXPIRE', KEYS[1], total)
return 1
