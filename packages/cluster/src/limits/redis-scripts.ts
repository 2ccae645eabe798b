// What Redis does in one step, in place of the limiter's own script, which knows whole seconds and
// fixed windows alone. Each is handed by the limiter: KEYS[1]; ARGV[1], how much; ARGV[2], for how
// many seconds a budget without an end is remembered; ARGV[3] and ARGV[4], the limiter's points and
// duration. All of them answer two whole numbers: what is used, above the limit when it is full,
// and a time. Times are microseconds of Redis' own clock, so that those of the replicas do not
// matter. A negative ARGV[1] gives one back that was taken then: of a bucket that was full since,
// or a window that has ended, nothing.

const now = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local amount = tonumber(ARGV[1])
local limit = tonumber(ARGV[3])`;

/**
 * A bucket of ARGV[3] tokens that gets one every ARGV[4] seconds. When it is taken from, the time
 * is that of the taking; when it is empty, how long to wait, in ms.
 */
export const bucketScript: string = `${now}
local step = tonumber(ARGV[4]) * 1000000
local kept = redis.call('HMGET', KEYS[1], 'full', 'since')
local full, since = tonumber(kept[1]) or now, tonumber(kept[2]) or now
if full > now + limit * step then full = now + limit * step end
if amount < 0 then
  if kept[1] and since <= -amount then full = full - step end
  if full <= now then redis.call('DEL', KEYS[1]) else redis.call('HSET', KEYS[1], 'full', string.format('%.17g', full)) end
  return {0, 0}
end
if full <= now then full, since = now, now end
local wait = full - now - (limit - 1) * step
if wait > 1 then return {limit + 1, math.ceil(wait / 1000)} end
full = full + step
redis.call('HSET', KEYS[1], 'full', string.format('%.17g', full), 'since', string.format('%.17g', since))
redis.call('PEXPIRE', KEYS[1], math.ceil((full - now) / 1000) + 1)
return {1, now}`;

const count = `${now}
local window = math.ceil(tonumber(ARGV[4]) * 1000)
local kept = redis.call('HMGET', KEYS[1], 'used', 'since')
local used, since = tonumber(kept[1]) or 0, tonumber(kept[2]) or now
local function add(units)
  redis.call('HSET', KEYS[1], 'used', string.format('%.17g', math.min(used + units, 9000000000000000)), 'since', string.format('%.17g', since))
  if window == 0 then redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[2]) * 1000) end
  if window > 0 and not kept[1] then redis.call('PEXPIRE', KEYS[1], window) end
end
local function isFull()
  return used >= limit and {math.max(limit + 1, used), math.max(redis.call('PTTL', KEYS[1]), 0)}
end`;

/**
 * A window of ARGV[4] seconds (0: without an end) from the first use on, of which each takes one
 * until there are ARGV[3].
 */
export const unitScript: string = `${count}
if amount < 0 then
  if kept[1] and since <= -amount then
    if used > 1 then redis.call('HINCRBY', KEYS[1], 'used', -1) else redis.call('DEL', KEYS[1]) end
  end
  return {0, 0}
end
local full = isFull()
if full then return full end
add(1)
return {1, now}`;

/**
 * The same for amounts that are known afterwards: 0 looks, and anything else is added whatever
 * there is.
 */
export const amountScript: string = `${count}
if amount > 0 then
  add(amount)
  return {0, now}
end
return isFull() or {0, now}`;
