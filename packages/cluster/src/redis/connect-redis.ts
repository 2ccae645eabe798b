import { kindOf, pause, untilAborted } from "@hostside/core/implement";
import type { NoticeConnection, NoticeListener } from "../engine/notices.ts";

/**
 * A connected client of Redis or Valkey: one of `redis` or `@redis/client`, 5 or 6, or one of
 * `ioredis`. For a pool or a cluster, pass the client of one node that is written to.
 */
export type RedisClient =
  | { sendCommand(command: readonly string[], options?: RedisCommandOptions): Promise<unknown>; duplicate(): object }
  | IoRedisClient;

/** One of `ioredis`, as far as it is used. */
export interface IoRedisClient {
  call(command: string, ...rest: string[]): Promise<unknown>;
  duplicate(): object;
  /** `ready` when commands leave at once. */
  readonly status?: string;
  connect?(): Promise<unknown>;
}

/** Options of a command. */
export interface RedisCommandOptions {
  readonly abortSignal?: AbortSignal;
}

/** A client, whichever it is. */
export interface RedisConnection {
  send(command: readonly [string, ...string[]], signal?: AbortSignal): Promise<unknown>;
  listen(channel: string, listener: NoticeListener, signal: AbortSignal): Promise<NoticeConnection>;
}

/** Refuses with a `TypeError` what is no client. */
export function connectRedis(owner: string, client: RedisClient): RedisConnection {
  const isObject = typeof client === "object" && client !== null;
  if (!isObject || typeof client.duplicate !== "function")
    throw new TypeError(
      `${owner}: the client must be one of redis or ioredis, with a method duplicate(), not ${kindOf(client)}`,
    );
  const listen: RedisConnection["listen"] = (channel, listener, signal) =>
    listenRedis(readSubscriber(owner, client.duplicate()), channel, { listener, signal });
  // ioredis has a `sendCommand`, too, which takes something else.
  if ("call" in client && typeof client.call === "function") {
    return {
      async send(command, signal) {
        await untilReady(client, signal);
        return client.call(...command);
      },
      listen,
    };
  }
  if (!("sendCommand" in client) || typeof client.sendCommand !== "function")
    throw new TypeError(`${owner}: the client must be one of redis or ioredis, with sendCommand() or call()`);
  // While Redis cannot be reached the client keeps commands; one that nobody waits for any more
  // must not be done later.
  const send: RedisConnection["send"] = async (command, signal) =>
    client.sendCommand(command, signal === undefined ? {} : { abortSignal: signal });
  return { send, listen };
}

const readyPollMs = 20;

/**
 * Resolves when a client of `ioredis` is connected. While Redis cannot be reached it keeps commands
 * as well, and nobody can take one back from it: so it gets none then. Rejects when the signal
 * aborts first, and when the client was closed.
 */
async function untilReady(client: IoRedisClient, signal: AbortSignal | undefined): Promise<void> {
  // One that connects when it is first used; what it says of that it says to its own listeners.
  if (client.status === "wait") client.connect?.().catch(() => {});
  while (client.status !== undefined && client.status !== "ready") {
    if (client.status === "end") throw new Error("the client is closed");
    await pause(readyPollMs, signal);
    if (signal?.aborted === true) throw new Error("the client is not connected");
  }
}

/**
 * A client for subscriptions: of `redis` when it has `connect` and takes a listener, of `ioredis`
 * otherwise.
 */
interface Subscriber {
  on(event: string, listener: (...args: readonly unknown[]) => void): unknown;
  connect?(): Promise<unknown>;
  subscribe(channel: string, listener?: (message: unknown) => void): Promise<unknown>;
  ping(): Promise<unknown>;
  destroy?(): unknown;
  disconnect?(): unknown;
}

function readSubscriber(owner: string, value: object): Subscriber {
  const missing = ["on", "subscribe", "ping"].find((name) => typeof Reflect.get(value, name) !== "function");
  if (missing !== undefined) throw new TypeError(`${owner}: what duplicate() gave has no method ${missing}()`);
  return value as Subscriber; // As far as it is used.
}

async function listenRedis(
  subscriber: Subscriber,
  channel: string,
  { listener, signal }: { readonly listener: NoticeListener; readonly signal: AbortSignal },
): Promise<NoticeConnection> {
  const isNode = typeof subscriber.destroy === "function";
  const over = new AbortController();
  const close = (reason: unknown): void => {
    over.abort(reason);
    // A subscriber that was never open says so.
    try {
      if (isNode) subscriber.destroy?.();
      else subscriber.disconnect?.();
    } catch {
      // Nothing is left of it.
    }
  };
  // It would connect again by itself, without a word; the caller does that, and knows.
  const onEnd = (reason: unknown): void => {
    if (over.signal.aborted) return;
    close(reason instanceof Error ? reason : new Error("the connection ended"));
    listener.onEnd(reason);
  };
  signal.addEventListener("abort", () => close(signal.reason), { once: true });
  for (const event of ["error", "end", "close"]) subscriber.on(event, onEnd);
  const hear = (message: unknown): void => listener.onText(String(message));
  const open = async (): Promise<void> => {
    if (isNode) {
      await subscriber.connect?.();
      await subscriber.subscribe(channel, hear);
      return;
    }
    subscriber.on("message", (_channel, message) => hear(message));
    await subscriber.subscribe(channel);
  };
  await untilAborted(open(), over.signal);
  return { ping: () => subscriber.ping() };
}
