-- KEYS[1] the value's. ARGV: the value, its life in ms. Its first byte is its rank: see dev.once.core.store.Cache.
local there = redis.call('GETRANGE', KEYS[1], 0, 0)
local mine = string.byte(ARGV[1])
local its = there == '' and -1 or string.byte(there)
if its < mine or (its == mine and redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2])) then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1
end
return 0
