import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import type { EngineClient } from "../state/engine-client.ts";
import type { KeptValue, NamedFencingToken, ValueEngine, WriteAnswer } from "../state/create-engine-store.ts";
import { createSharedState, readSharedStateOptions, sharedStateFields } from "../state/create-shared-state.ts";
import type { LeaseEngine } from "../state/create-lease-lock.ts";
import type { SharedState, SharedStateOptions } from "../state/shared-state.ts";
import { connectRedis, type RedisClient, type RedisConnection } from "./connect-redis.ts";
import { deleteScript, releaseScript, renewScript, setScript, takeScript } from "./redis-scripts.ts";

export type { RedisClient, RedisCommandOptions } from "./connect-redis.ts";

/** Options of {@linkcode createRedisState}. */
export interface RedisStateOptions extends SharedStateOptions {}

const optionFields: Fields<RedisStateOptions> = sharedStateFields;

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
 */
export function createRedisState(client: RedisClient, options: RedisStateOptions = {}): SharedState {
  const owner = "createRedisState()";
  assertKnownOptions(owner, options, optionFields);
  const connection = connectRedis(owner, client);
  const settings = readSharedStateOptions(owner, options);
  const channel = `${settings.prefix}notices`;
  return createSharedState(
    {
      name: "Redis",
      isAnswer,
      values: (engineClient) => redisValues(connection, engineClient),
      leases: redisLeases(connection),
      notices: {
        send: (text, signal) => connection.send(["PUBLISH", channel, text], signal),
        listen: (ear, signal) => connection.listen(channel, ear, signal),
      },
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

const formatMark = /^(\d+):/;

function redisValues(connection: RedisConnection, engineClient: EngineClient): ValueEngine {
  return {
    async get(name, what) {
      const text = textOf(
        await engineClient.ask({ what, effect: "read", send: (signal) => connection.send(["GET", name], signal) }),
      );
      return text === undefined ? undefined : readValue(text);
    },
    set({ name, json, ttlMs, fencingToken }, what) {
      const args = [numberOf(fencingToken), `1:${json}`, ttlMs === undefined ? "" : String(ttlMs)];
      const input = { keys: keysOf(name, fencingToken), args };
      return askToWrite(engineClient, what, (signal) => setScript(connection, input, signal));
    },
    delete({ name, fencingToken }, what) {
      const input = { keys: keysOf(name, fencingToken), args: [numberOf(fencingToken)] };
      return askToWrite(engineClient, what, (signal) => deleteScript(connection, input, signal));
    },
  };
}

async function askToWrite(
  engineClient: EngineClient,
  what: string,
  send: (signal: AbortSignal) => Promise<unknown>,
): Promise<WriteAnswer> {
  return textOf(await engineClient.ask({ what, effect: "write", send })) as WriteAnswer; // Our own scripts say nothing else.
}

function keysOf(name: string, fencingToken: NamedFencingToken | undefined): readonly string[] {
  return fencingToken === undefined ? [name] : [name, fencingToken.name];
}

function numberOf(fencingToken: NamedFencingToken | undefined): string {
  return fencingToken === undefined ? "" : String(fencingToken.number);
}

function readValue(text: string): KeptValue {
  const mark = formatMark.exec(text);
  return mark === null ? { format: 0, json: "" } : { format: Number(mark[1]), json: text.slice(mark[0].length) };
}

/** A client may be set up to give bytes. */
function textOf(reply: unknown): string | undefined {
  if (reply instanceof Uint8Array) return new TextDecoder().decode(reply);
  if (typeof reply === "number" || typeof reply === "bigint") return String(reply);
  return typeof reply === "string" ? reply : undefined;
}

/** Twice the longest lease. */
const counterMs = 2 * 86_400_000;

function redisLeases(connection: RedisConnection): LeaseEngine {
  return {
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
  };
}
