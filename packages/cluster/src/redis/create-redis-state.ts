import { assertKnownOptions } from "@hostside/core/implement";
import type { NamedFencingToken, WriteAnswer } from "../engine/value-store.ts";
import type { Count, CountingEngine } from "../limits/shares.ts";
import { connectRedis, type RedisClient, type RedisConnection } from "./connect-redis.ts";
import {
  bucketScript,
  deleteScript,
  releaseScript,
  renewScript,
  setScript,
  takeScript,
  windowScript,
} from "./scripts.ts";
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
  const bucket = async ({ name, limit, stepMs = 0 }: Count, signal: AbortSignal, since?: string): Promise<unknown> => {
    const args = [String(limit), String(stepMs * 1000), ...(since === undefined ? [] : [since])];
    return bucketScript(connection, { keys: [name], args }, signal);
  };
  const window = async ({ name, limit, perMs = 0 }: Count, signal: AbortSignal, since?: string): Promise<unknown> => {
    const args = [limit, Math.ceil(perMs), forgetAfterMs].map(String);
    return windowScript(connection, { keys: [name], args: since === undefined ? args : [...args, since] }, signal);
  };
  return {
    async take(count, signal) {
      const isBucket = count.stepMs !== undefined;
      const reply = partsOf(await (isBucket ? bucket(count, signal) : window(count, signal)));
      if (reply[0] === "1") return { since: reply[1] ?? "" };
      if (isBucket) return { used: count.limit, retryAfterMs: Number(reply[1]) };
      const [, used, endsInMs] = reply;
      const retryAfterMs = count.perMs === undefined ? undefined : Math.max(1, Number(endsInMs));
      return { used: Number(used), retryAfterMs };
    },
    giveBack: (count, since, signal) => (count.stepMs === undefined ? window : bucket)(count, signal, since),
  };
}

function partsOf(reply: unknown): readonly (string | undefined)[] {
  return Array.isArray(reply) ? reply.map(textOf) : [];
}
