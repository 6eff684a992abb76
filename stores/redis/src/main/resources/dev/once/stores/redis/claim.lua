-- KEYS[1] the record. ARGV: fingerprint (33 bytes), takeover (1 or 0), "token lease total name"; total ms;
-- the lowest fence that will not do (16 digits); 1 if replicas have to confirm, else nothing
-- Replies: fence (a number): granted, the first attempt    {2, fence, attempt} granted
--          the field answer: ended, same fingerprint       {1, fingerprint, answer, fence} ended, another one,
--                                                          or replicas have to confirm
--          {3, fingerprint, ms left} busy                  {4, fingerprint, fence} abandoned
-- A first request ends after three calls. Times stay the text that they come as, and what the client sends goes on as
-- it is: to take arguments apart, and to write numbers, takes Lua longer than Redis takes to write the record.
local time = redis.call('TIME')
local fence = time[1] .. string.sub('00000' .. time[2], -6)
local now = string.sub(fence, 1, 13)
if fence <= ARGV[3] then -- this clock is behind one that the client has seen here, before a failover say
  fence = string.format('%016.0f', ARGV[3] + 1)
end
local set = redis.pcall('HSETNX', KEYS[1], 'state', '1' .. fence .. now .. now .. '000001' .. ARGV[1])
if set == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return tonumber(fence)
end
if type(set) == 'table' and not string.find(set.err, '^%-?OOM') then
  return set -- a replica, say, which must not speak for its master
end
-- Writes, and changes nothing: WAIT, which may follow, is about writes of its own connection.
local function touch()
  local expires = redis.pcall('PEXPIRETIME', KEYS[1])
  if type(expires) == 'number' then
    redis.call('PEXPIREAT', KEYS[1], expires)
  else -- Redis 6 does not know it; this may move the expiry by a millisecond
    redis.call('PEXPIRE', KEYS[1], math.max(1, redis.call('PTTL', KEYS[1])))
  end
end
-- Redis itself drops what has expired: what is found from here on is in force.
local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  return set -- the server is full. What is there can still be told, below
end
if string.sub(state, 1, 1) ~= '1' then
  return redis.error_reply('ONCEFORMAT record cannot be read')
end
local fingerprint = string.sub(state, 50, 82)
local answer = redis.call('HGET', KEYS[1], 'answer')
if answer then
  if fingerprint == string.sub(ARGV[1], 1, 33) and not ARGV[4] then
    return answer
  end
  if ARGV[4] then
    touch()
  end
  return {1, fingerprint, answer, tonumber(string.sub(state, 2, 17))}
end
local owner, lease, total = string.match(state, '^(%S+) (%d+) (%d+) ', 84)
if not owner then
  return redis.error_reply('ONCEFORMAT record cannot be read')
end
local last, requested, start = string.sub(state, 2, 17), string.sub(state, 18, 30), string.sub(state, 31, 43)
local attempt = string.sub(state, 44, 49)
if start + total > tonumber(now) then
  if owner == string.match(ARGV[1], '^%S+', 35) then
    touch()
    return {2, last, attempt} -- an earlier try of this claim, whose reply was lost
  end
  if start + lease > tonumber(now) then
    return {3, fingerprint, start + lease - now}
  end
  if string.sub(ARGV[1], 34, 34) ~= '1' or fingerprint ~= string.sub(ARGV[1], 1, 33) then
    if ARGV[4] then
      touch()
    end
    return {4, fingerprint, last}
  end
  attempt = string.format('%06.0f', math.min(attempt + 1, 999999))
else
  attempt = '000001'
  requested = now
end
fence = string.format('%016.0f', math.max(last + 1, tonumber(fence)))
redis.call('HSET', KEYS[1], 'state', '1' .. fence .. requested .. now .. attempt .. ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {2, fence, attempt}
