-- KEYS[1] the record. ARGV: fingerprint (33 bytes), token, " lease total name", total ms, takeover (1 or 0)
-- Replies: the field answer, if it has ended        fence (a number): granted, the first attempt
--          {2, fence, attempt} granted              {3, fingerprint, ms left} busy
--          {4, fingerprint, fence} abandoned
local answer = redis.call('HGET', KEYS[1], 'answer')
if answer then
  return answer -- a replay costs no more than this; Redis itself drops what has expired
end
-- A first request ends here. Times stay the text they come as: Lua takes longer to write a number than Redis a field.
local time = redis.call('TIME')
local micros = string.sub('00000' .. time[2], -6)
local now = time[1] .. string.sub(micros, 1, 3)
local set = redis.pcall('HSETNX', KEYS[1], 'state', '1' .. ARGV[1] .. time[1] .. micros .. ' 1 ' .. ARGV[2]
    .. ' ' .. now .. ' ' .. now .. ARGV[3])
if set == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  return tonumber(time[1] .. micros)
end
local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  return set -- it could not be written: the server is full, say. What is there can still be told, below
end
local fingerprint, fence, attempt, owner, requested, start, lease, total = string.match(state,
    '^1(.................................)(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d) (%d+) (%S+) (%d+) (%d+) (%d+) (%d+) ')
if not fence then
  return redis.error_reply('ONCEFORMAT record cannot be read')
end
if start + total > tonumber(now) then
  if owner == ARGV[2] then
    return {2, fence, attempt} -- an earlier try of this claim, whose reply was lost
  end
  if start + lease > tonumber(now) then
    return {3, fingerprint, start + lease - now}
  end
  if ARGV[5] ~= '1' or fingerprint ~= ARGV[1] then
    return {4, fingerprint, fence}
  end
  attempt = tostring(attempt + 1)
else
  attempt = '1'
  requested = now
end
fence = string.format('%016.0f', math.max(fence + 1, tonumber(time[1] .. micros)))
redis.call('HSET', KEYS[1], 'state', '1' .. ARGV[1] .. fence .. ' ' .. attempt .. ' ' .. ARGV[2]
    .. ' ' .. requested .. ' ' .. now .. ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return {2, fence, attempt}
