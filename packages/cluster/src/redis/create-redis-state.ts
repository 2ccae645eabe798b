import { assertKnownOptions } from "@hostside/core/implement";
import { sha1 } from "@noble/hashes/legacy.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { NamedFencingToken, WriteAnswer } from "../engine/value-store.ts";
import type { Count, CountingEngine } from "../limits/create-limit-store.ts";
import { connectRedis, type RedisClient, type RedisConnection } from "./connect-redis.ts";
import { createSharedState, readSharedStateOptions, sharedStateFields } from "../state/create-shared-state.ts";
import type { SharedState, SharedStateOptions } from "../state/shared-state.ts";

/**
 * A shared state over Redis or Valkey, by a client that the product connected and closes. Sends
 * nothing before it is used. Notices come on a connection of their own, a `duplicate()` of the
 * client, from the first subscription to the last.
 *
 * One node, or a primary whose replicas are not written to, with `maxmemory-policy noeviction`. A
 * failover to a replica that has not heard of a lock yet can give it to two, and its fencing token
 * then tells them apart. A Redis that lost its memory has no values and no locks: whoever had one
 * cannot write by its fencing token.
 *
 * Throws a `TypeError` for what is no client of `redis` or `ioredis`, and for options that are
 * unknown or wrong.
 *
 * @example
 * await using state = createRedisState(client); // of `redis` or `ioredis`
 * const host = await createHost({ config: "mcp.json", state });
 */
export function createRedisState(client: RedisClient, options: SharedStateOptions = {}): SharedState {
  const owner = "createRedisState()";
  assertKnownOptions(owner, options, sharedStateFields);
  const settings = readSharedStateOptions(owner, options);
  const connection = connectRedis(owner, client);
  const channel = `${settings.prefix}notices`;
  return createSharedState(
    {
      name: "Redis",
      isAnswer,
      values: {
        async get(name, signal) {
          const text = textOf(await connection.send(["GET", name], signal));
          if (text === undefined) return undefined;
          const [mark = "", format = "0"] = /^(\d+):/.exec(text) ?? [];
          return { format: Number(format), json: text.slice(mark.length) };
        },
        async set({ name, json, ttlMs, fencingToken }, signal) {
          const args = [numberOf(fencingToken), `1:${json}`, ttlMs === undefined ? "" : String(ttlMs)];
          return answerOf(await setScript(connection, { keys: keysOf(name, fencingToken), args }, signal));
        },
        async delete({ name, fencingToken }, signal) {
          const input = { keys: keysOf(name, fencingToken), args: [numberOf(fencingToken)] };
          return answerOf(await deleteScript(connection, input, signal));
        },
      },
      leases: {
        async take({ name, fencingTokenName, holder, ttlMs }, signal) {
          const input = { keys: [name, fencingTokenName], args: [holder, String(ttlMs), String(counterMs)] };
          const number = textOf(await takeScript(connection, input, signal));
          return number === undefined ? undefined : Number(number);
        },
        async renew({ name, holder, ttlMs }, signal) {
          const input = { keys: [name], args: [holder, String(ttlMs)] };
          return Number(textOf(await renewScript(connection, input, signal))) === 1;
        },
        release: ({ name, holder }, signal) => releaseScript(connection, { keys: [name], args: [holder] }, signal),
      },
      notices: {
        send: (text, signal) => connection.send(["PUBLISH", channel, text], signal),
        listen: (listener, signal) => connection.listen(channel, listener, signal),
      },
      counts: redisCounts(connection),
    },
    settings,
  );
}

// An answer begins with its kind in capitals; those below say that Redis cannot be used now, or not
// here.
const answer = /^(?!BUSY |CLUSTERDOWN |LOADING |MASTERDOWN |READONLY |TRYAGAIN )[A-Z]+ /;

function isAnswer(error: unknown): boolean {
  return error instanceof Error && answer.test(error.message);
}

function answerOf(reply: unknown): WriteAnswer {
  return textOf(reply) as WriteAnswer; // Our own scripts say nothing else.
}

function keysOf(name: string, fencingToken: NamedFencingToken | undefined): readonly string[] {
  return fencingToken === undefined ? [name] : [name, fencingToken.name];
}

function numberOf(fencingToken: NamedFencingToken | undefined): string {
  return fencingToken === undefined ? "" : String(fencingToken.number);
}

/** A client may be set up to give bytes. */
function textOf(reply: unknown): string | undefined {
  if (reply instanceof Uint8Array) return new TextDecoder().decode(reply);
  if (typeof reply === "number" || typeof reply === "bigint") return String(reply);
  return typeof reply === "string" ? reply : undefined;
}

/** Twice the longest lease. */
const counterMs = 2 * 86_400_000;

/** How long calls are remembered that count for ever, after the last one. */
const forgetAfterMs = 30 * 86_400_000;

function redisCounts(connection: RedisConnection): CountingEngine {
  const count = ({ name, limit, stepMs, perMs = 0 }: Count, signal: AbortSignal, since?: string): Promise<unknown> => {
    const numbers = stepMs === undefined ? [limit, Math.ceil(perMs), forgetAfterMs] : [limit, stepMs * 1000];
    const args = [...numbers.map(String), ...(since === undefined ? [] : [since])];
    return (stepMs === undefined ? windowScript : bucketScript)(connection, { keys: [name], args }, signal);
  };
  return {
    async take(wanted, signal) {
      const reply = partsOf(await count(wanted, signal));
      if (reply[0] === "1") return { since: reply[1] ?? "" };
      if (wanted.stepMs !== undefined) return { used: wanted.limit, retryAfterMs: Number(reply[1]) };
      const [, used, endsInMs] = reply;
      const retryAfterMs = wanted.perMs === undefined ? undefined : Math.max(1, Number(endsInMs));
      return { used: Number(used), retryAfterMs };
    },
    giveBack: (taken, since, signal) => count(taken, signal, since),
  };
}

function partsOf(reply: unknown): readonly (string | undefined)[] {
  return Array.isArray(reply) ? reply.map(textOf) : [];
}

// Numbers of fencing tokens are microseconds of the server's time, or one more than the latest,
// whatever is larger: they grow also when Redis has lost its memory, and when its clock was set
// back. So a counter may end, long after whoever could still write with its number.

/**
 * KEYS: lock, counter. ARGV: holder, how long, how long the counter stays. The fencing token's
 * number, or nothing when somebody has the lock.
 */
const takeScript = createScript(`
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
const renewScript = createScript(`
if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call("pexpire", KEYS[1], ARGV[2])`);

/** KEYS: lock. ARGV: holder. */
const releaseScript = createScript(`
if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call("del", KEYS[1])`);

const checkFencingToken = `
if KEYS[2] then
  local latest = redis.call("get", KEYS[2])
  if not latest then return "unknown-lock" end
  if latest ~= ARGV[1] then return "outdated" end
end`;

/** KEYS: value, counter or nothing. ARGV: number or nothing, the value, how long or nothing. */
const setScript = createScript(`${checkFencingToken}
local format = redis.call("getrange", KEYS[1], 0, 1)
if format ~= "" and format ~= "1:" then return "later-format" end
if ARGV[3] == "" then redis.call("set", KEYS[1], ARGV[2]) else redis.call("set", KEYS[1], ARGV[2], "PX", ARGV[3]) end
return "done"`);

/** KEYS: value, counter or nothing. ARGV: number or nothing. */
const deleteScript = createScript(`${checkFencingToken}
if redis.call("del", KEYS[1]) == 1 then return "done" end
return "nothing-there"`);

// Limits. Times are microseconds of Redis' own clock, so that those of the replicas do not matter.
// What was taken is given back only to the bucket or window that it was taken of (`since`).

/**
 * A bucket of tokens. KEYS: bucket. ARGV: how many at once, microseconds for one more, and to give
 * one back `since`. Answers 1 and `since`, or 0 and how many milliseconds to wait.
 */
const bucketScript = createScript(`
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
const windowScript = createScript(`
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

interface ScriptInput {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/**
 * A script that Redis runs in one step. Sent by its hash; in full once to a Redis that does not
 * know it yet, or any more.
 */
function createScript(text: string) {
  let hash: string | undefined;
  return async (connection: RedisConnection, { keys, args }: ScriptInput, signal: AbortSignal): Promise<unknown> => {
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
