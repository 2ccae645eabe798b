import { clock } from "@hostside/core/implement";
import { HostsideError, type Cancel } from "@hostside/core";
import type { Clients } from "../clients/clients.ts";
import type { Peer } from "../clients/peer.ts";
import type { GatewayHttpExchange } from "./http-exchange.ts";
import type { EventStream } from "./post-answer.ts";
import { type RequestId, requestEndedError } from "../message/json-rpc.ts";
import type { GatewaySettings } from "../settings/gateway-options.ts";

/** A client over HTTP, between its requests. */
export interface HeldPeer {
  readonly key: string;
  readonly peer: Peer;
  /** The owner of the credentials that made it; nobody else finds it. */
  readonly owner: string | undefined;
  /** The revision of a session; `undefined` without one. */
  readonly revision: string | undefined;
  /** The requests that can be cancelled, by the client's id. */
  readonly stops: Map<RequestId, AbortController>;
  /** Its open streams. */
  readonly streams: Set<EventStream>;
  /** Exchanges under way. */
  users: number;
  lastUsedAt: number;
}

/** Clients over HTTP, by the id of their session, or by what else tells them apart. */
export interface HeldPeers {
  /** Clients that open now, by their key: requests that come together share one. */
  readonly opening: Map<string, Promise<HeldPeer>>;
  get(key: string): HeldPeer | undefined;
  /**
   * Holds a client that was opened. If the held clients are already closed, it closes this one and
   * rejects with `closed`.
   */
  add(held: Pick<HeldPeer, "key" | "peer" | "owner" | "revision">): Promise<HeldPeer>;
  /** For the time of an exchange; the returned function ends it. */
  use(held: HeldPeer): Cancel;
  remove(held: HeldPeer, reason: string): Promise<void>;
  /** Ends the one of this owner that was idle longest, if one was for a while. */
  makeRoom(owner: string | undefined): boolean;
  close(reason: string): Promise<void>;
}

// So that whoever floods cannot push out somebody who only thinks for a moment.
const leastIdleMs = 60_000;

/** Makes it: idle ones are ended after `limits.sessionIdleMs`. */
export function createHeldPeers({ limits }: GatewaySettings, clients: Clients): HeldPeers {
  const held = new Map<string, HeldPeer>();
  let cancelTimer: Cancel | undefined;
  let closedBy: string | undefined;
  const isIdle = (one: HeldPeer): boolean => one.users === 0 && one.peer.busy === 0;
  const idleMs = (one: HeldPeer): number => clock.now() - one.lastUsedAt;
  const remove = async (one: HeldPeer, reason: string): Promise<void> => {
    if (held.get(one.key) === one) held.delete(one.key);
    for (const stream of Array.from(one.streams)) stream.end();
    for (const stop of one.stops.values()) stop.abort(requestEndedError(reason));
    await clients.close(one.peer, reason);
  };
  const sweep = (): void => {
    cancelTimer = undefined;
    for (const one of Array.from(held.values())) {
      if (isIdle(one) && idleMs(one) >= limits.sessionIdleMs) void remove(one, "idle");
    }
    watch();
  };
  const watch = (): void => {
    if (held.size > 0) cancelTimer ??= clock.schedule(Math.max(1000, limits.sessionIdleMs / 4), sweep);
  };
  return {
    opening: new Map(),
    get: (key) => held.get(key),
    async add(init) {
      if (closedBy !== undefined) {
        await clients.close(init.peer, closedBy);
        throw new HostsideError("the gateway is closing", { code: "closed" });
      }
      const one: HeldPeer = { ...init, stops: new Map(), streams: new Set(), users: 0, lastUsedAt: clock.now() };
      held.set(one.key, one);
      watch();
      return one;
    },
    use(one) {
      one.users += 1;
      let isUsed = true;
      return () => {
        if (!isUsed) return;
        isUsed = false;
        one.users -= 1;
        one.lastUsedAt = clock.now();
      };
    },
    remove,
    makeRoom(owner) {
      const idle = Array.from(held.values()).filter((one) => one.owner === owner && isIdle(one));
      const [oldest] = idle.sort((a, b) => a.lastUsedAt - b.lastUsedAt);
      if (oldest === undefined || idleMs(oldest) < leastIdleMs) return false;
      void remove(oldest, "made room");
      return true;
    },
    async close(reason) {
      closedBy = reason;
      cancelTimer?.();
      await Promise.all(Array.from(held.values(), (one) => remove(one, reason)));
      cancelTimer?.();
    },
  };
}

/** The parts that answer one exchange. */
export interface HttpParts {
  readonly settings: GatewaySettings;
  readonly clients: Clients;
  readonly held: HeldPeers;
  readonly exchange: GatewayHttpExchange;
  /** The principal of the token that let it in. */
  readonly principal: string | undefined;
  /** The owner of the sessions that it may use. */
  readonly owner: string | undefined;
}
