-- The generic cell rate algorithm: a key holds the time, in microseconds of this server's clock, at
-- which all of the limit is there again. Each request moves it on by a step, and is refused if that
-- would be further ahead than a window.
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local step = math.max(math.floor(window / limit), 1)
local full = tonumber(redis.call('GET', KEYS[1]) or now)
full = math.min(math.max(full, now), now + window) -- a clock that was set back locks nobody out
local room = now + window - full - step
if room < 0 then
  return {0, 0, full - now, -room}
end
full = full + step
redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', math.ceil((full - now) / 1000))
return {1, math.floor(room / step), full - now, 0}
