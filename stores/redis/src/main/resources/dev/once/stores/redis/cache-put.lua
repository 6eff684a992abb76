-- KEYS[1] the value's. ARGV: the value, its life in ms. Its first byte is its rank: see dev.once.core.store.Cache.
local there = redis.call('GETRANGE', KEYS[1], 0, 0)
if there == '' or string.byte(there) < string.byte(ARGV[1]) then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1
end
return 0
