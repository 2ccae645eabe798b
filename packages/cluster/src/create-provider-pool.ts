import type { ServerSpec } from "@hostside/core";
import {
  assertKnownOptions,
  assertReason,
  assertSignal,
  compareText,
  createEvent,
  quoteText,
  type Fields,
} from "@hostside/core/implement";
import { createPoolCore } from "./create-pool-core.ts";
import type { Owner } from "./entry.ts";
import type { Found } from "./obtain-provider.ts";
import { readPoolOptions, type ProviderPoolOptions } from "./pool-options.ts";
import type { PooledStatus, PoolEvent, ProviderPool, LeaseOptions } from "./provider-pool.ts";
import { assertFits } from "./capacity-errors.ts";
import { configOf, readServers, type ServerConfig } from "./server-config.ts";
import type { LeaseRequest } from "./lease-request.ts";

const requestFields: Fields<LeaseOptions> = { signal: true };
const defaultKey = "shared";

/**
 * A pool of providers. Nothing is made before it is wanted, and no timer runs while there is none.
 *
 * Throws a `TypeError` that names an option that cannot be used, `invalid_spec` for a server,
 * `duplicate_server` for two of one id, and `overloaded` for more servers than the bounds have room
 * for.
 */
export function createProviderPool(options: ProviderPoolOptions): ProviderPool {
  const settings = readPoolOptions(options);
  const { make } = options;
  const events = createEvent<PoolEvent>();
  const readConfig = (servers: readonly ServerSpec[]): ServerConfig => {
    // Whose a key is, nobody knows here: nothing counts for a principal.
    const read = configOf(readServers(servers), true);
    assertFits("a provider", read.takes, settings.limits);
    return read;
  };
  let config = readConfig(options.servers ?? []);
  const core = createPoolCore(
    {
      settings,
      make: ({ id }, servers, signal) => make({ key: id, servers, signal }),
      config: () => config,
      hasEmpty: true,
      hasMoved: () => false,
      tell: ({ id }, what) => events.emit({ ...what, key: id }),
    },
    () => events.close(),
  );
  const shutdownAll = (reason = "client shutdown"): Promise<void> => core.shutdownAll(reason);
  return {
    async getOrCreate(key = defaultKey, request = {}) {
      return core.obtain(requestOf(key), readSignal("getOrCreate()", request), (found) => only(found).provider);
    },
    get(key = defaultKey) {
      assertKey(key);
      const state = core.get(key)?.state;
      return state?.name === "ready" ? state.provider : undefined;
    },
    async lease(key = defaultKey, request = {}) {
      return core.obtain(requestOf(key), readSignal("lease()", request), (found) => {
        const { entry, provider } = only(found);
        const release = core.hold([entry]);
        return { key, provider, release, [Symbol.dispose]: release };
      });
    },
    async dispose(key, reason = "disposed") {
      assertKey(key);
      assertReason(reason);
      return core.dispose(key, reason);
    },
    shutdownAll,
    updateConfig(servers) {
      core.assertOpen();
      config = readConfig(servers);
    },
    statuses: () =>
      core
        .statuses()
        .map(({ owner, status }): PooledStatus => ({ key: owner.id, ...status }))
        .sort((a, b) => compareText(a.key, b.key)),
    onEvent: events.on,
    [Symbol.asyncDispose]: () => shutdownAll(),
  };
}

/** One key is one owner, who has all servers. */
function requestOf(key: string): LeaseRequest {
  assertKey(key);
  const title = `key ${quoteText(key)}`;
  const owner: Owner = { id: key, title, sharing: "shared", principal: undefined, conversation: undefined };
  return { owners: [owner], principal: undefined, title };
}

function assertKey(key: unknown): asserts key is string {
  if (typeof key !== "string" || key === "") throw new TypeError("key must be a text that is not empty");
}

function only([found]: readonly Found[]): Found {
  if (found === undefined) throw new Error("a request for a key found nothing");
  return found;
}

function readSignal(owner: string, request: LeaseOptions): AbortSignal | undefined {
  assertKnownOptions(owner, request, requestFields);
  if (request.signal !== undefined) assertSignal(request.signal);
  return request.signal;
}
