-- KEYS[1] the value's. ARGV: the value, its life in ms, when it was asked for in ms by this clock, and for how many ms it may
-- be under way. Its life began when it was asked for. The value's first byte is its rank: see dev.once.core.store.Cache.
-- Replies this clock, in ms; below 0: it came too late, and was not put.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local underway = math.max(0, now - tonumber(ARGV[3]))
local life = tonumber(ARGV[2]) - underway
if underway > tonumber(ARGV[4]) or life <= 0 then
  return -now
end
local there = redis.call('GETRANGE', KEYS[1], 0, 0)
local mine = string.byte(ARGV[1])
local its = there == '' and -1 or string.byte(there)
if its < mine or (its == mine and redis.call('PTTL', KEYS[1]) < life) then
  if #ARGV[1] <= 2 then
    redis.call('DEL', KEYS[1]) -- a full server takes it; and a script that has written may then write more
  end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', string.format('%.0f', life))
end
return now
