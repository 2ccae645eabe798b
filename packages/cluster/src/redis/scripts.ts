import { sha1 } from "@noble/hashes/legacy.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { RedisConnection } from "./connect-redis.ts";

// Numbers of fencing tokens are microseconds of the server's time, or one more than the latest,
// whatever is larger: they grow also when Redis has lost its memory, and when its clock was set
// back. So a counter may end, long after whoever could still write with its number.

/**
 * KEYS: lock, counter. ARGV: holder, how long, how long the counter stays. The fencing token's
 * number, or nothing when somebody has the lock.
 */
export const takeScript: Script = createScript(`
if not redis.call("set", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then return false end
local time = redis.call("time")
local number = time[1] * 1000000 + time[2]
local latest = tonumber(redis.call("get", KEYS[2]) or "0")
if number <= latest then number = latest + 1 end
local text = string.format("%.0f", number)
redis.call("set", KEYS[2], text, "PX", ARGV[3])
return text`);

/**
 * KEYS: lock. ARGV: holder, how long. 1 when it is there. Only who has it may prolong it: after a
 * lease somebody else may have it.
 */
export const renewScript: Script = createScript(`
if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call("pexpire", KEYS[1], ARGV[2])`);

/** KEYS: lock. ARGV: holder. */
export const releaseScript: Script = createScript(`
if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call("del", KEYS[1])`);

const checkFencingToken = `
if KEYS[2] then
  local latest = redis.call("get", KEYS[2])
  if not latest then return "unknown-lock" end
  if latest ~= ARGV[1] then return "outdated" end
end`;

/** KEYS: value, counter or nothing. ARGV: number or nothing, the value, how long or nothing. */
export const setScript: Script = createScript(`${checkFencingToken}
local format = redis.call("getrange", KEYS[1], 0, 1)
if format ~= "" and format ~= "1:" then return "later-format" end
if ARGV[3] == "" then redis.call("set", KEYS[1], ARGV[2]) else redis.call("set", KEYS[1], ARGV[2], "PX", ARGV[3]) end
return "done"`);

/** KEYS: value, counter or nothing. ARGV: number or nothing. */
export const deleteScript: Script = createScript(`${checkFencingToken}
if redis.call("del", KEYS[1]) == 1 then return "done" end
return "nothing-there"`);

// Limits. Times are microseconds of Redis' own clock, so that those of the replicas do not matter.
// What was taken is given back only to the bucket or window that it was taken of (`since`).

/**
 * A bucket of tokens. KEYS: bucket. ARGV: how many at once, microseconds for one more, and to give
 * one back `since`. Answers 1 and `since`, or 0 and how many milliseconds to wait.
 */
export const bucketScript: Script = createScript(`
local time = redis.call("time")
local now = time[1] * 1000000 + time[2]
local limit, step = tonumber(ARGV[1]), tonumber(ARGV[2])
local kept = redis.call("hmget", KEYS[1], "full", "since")
local full = math.min(tonumber(kept[1] or now), now + limit * step)
if ARGV[3] then
  if kept[2] == ARGV[3] then redis.call("hset", KEYS[1], "full", string.format("%.17g", full - step)) end
  return false
end
local since = kept[2]
if full <= now or not since then full, since = now, string.format("%.0f", now) end
local wait = full - now - (limit - 1) * step
if wait > 1 then return {0, math.ceil(wait / 1000)} end
full = full + step
redis.call("hset", KEYS[1], "full", string.format("%.17g", full), "since", since)
redis.call("pexpire", KEYS[1], math.ceil((full - now) / 1000) + 1)
return {1, since}`);

/**
 * Calls in a window from the first one on. KEYS: window. ARGV: the limit, for how many milliseconds
 * they count (0: for ever), for how many those are remembered, and to give one back `since`.
 * Answers 1 and `since`, or 0, how many are used and when it ends.
 */
export const windowScript: Script = createScript(`
local time = redis.call("time")
local kept = redis.call("hmget", KEYS[1], "used", "since")
local used, since = tonumber(kept[1] or 0), kept[2] or string.format("%.0f", time[1] * 1000000 + time[2])
local window = tonumber(ARGV[2])
if ARGV[4] then
  if kept[2] == ARGV[4] and used > 0 then redis.call("hset", KEYS[1], "used", string.format("%.0f", used - 1)) end
  return false
end
if used >= tonumber(ARGV[1]) then
  return {0, string.format("%.0f", used), math.max(redis.call("pttl", KEYS[1]), 0)}
end
redis.call("hset", KEYS[1], "used", string.format("%.0f", used + 1), "since", since)
if window == 0 then redis.call("pexpire", KEYS[1], ARGV[3]) elseif not kept[1] then redis.call("pexpire", KEYS[1], window) end
return {1, since}`);

/** Keys and arguments of a script. */
export interface ScriptInput {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** A script that Redis runs in one step. */
export type Script = (connection: RedisConnection, input: ScriptInput, signal?: AbortSignal) => Promise<unknown>;

/** Sent by its hash; in full once to a Redis that does not know it yet, or any more. */
function createScript(text: string): Script {
  let hash: string | undefined;
  return async (connection, { keys, args }, signal) => {
    hash ??= bytesToHex(sha1(utf8ToBytes(text)));
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await connection.send(["EVALSHA", hash, ...rest], signal);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      return connection.send(["EVAL", text, ...rest], signal);
    }
  };
}
