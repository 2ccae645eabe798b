import { hashText } from "../state/engine-name.ts";
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

/** What a script is given. */
export interface ScriptInput {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** A script that Redis runs in one step. */
export type Script = (connection: RedisConnection, input: ScriptInput, signal?: AbortSignal) => Promise<unknown>;

/** Sent by its hash; in full once to a Redis that does not know it yet, or any more. */
function createScript(text: string): Script {
  let hash: Promise<string> | undefined;
  return async (connection, { keys, args }, signal) => {
    hash ??= hashText(text, "SHA-1");
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await connection.send(["EVALSHA", await hash, ...rest], signal);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      return connection.send(["EVAL", text, ...rest], signal);
    }
  };
}
