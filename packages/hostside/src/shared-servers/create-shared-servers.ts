import { HostsideError, type JsonValue, type Lock, type Store } from "@hostside/core";
import {
  assertKnownOptions,
  createEvent,
  isJsonObject,
  isPlainObject,
  kindOf,
  readVersioned,
  writeVersioned,
  credentialFieldsOf,
  type EventSource,
  type Fields,
  type ValueVersion,
} from "@hostside/core/implement";
import { readServerEntry, type ReadEntry } from "../contract/server-entries.ts";
import { assertMethods, stateFields } from "../contract/check-options.ts";
import type { HostState } from "../contract/host-options.ts";
import type { KeptServers, SharedServers, WriteServersOptions } from "../contract/shared-servers.ts";

/** Options of {@linkcode createSharedServers}: a state, whose other members are not used. */
export interface SharedServersOptions extends HostState {
  /** Makes a write exclusive among all that share the store. */
  readonly lock: Lock;
  /** The key of this set of servers, if a store has several. Default `"hostside:servers"`. */
  readonly key?: string | undefined;
}

const optionFields: Fields<SharedServersOptions> = { ...stateFields, key: true };
const writeFields: Fields<WriteServersOptions> = { expectedRevision: true };
const longestWriteMs = 10_000;

/**
 * Servers that all replicas of a product have, kept in the store that they share, so that one
 * change reaches all of them: `createHost({ sharedServers })`. Throws a `TypeError` for an option
 * that is unknown or wrong.
 *
 * @example
 * const sharedServers = createSharedServers(state);
 * const host = await createHost({ state, sharedServers });
 * await sharedServers.write({ docs: { url: "https://docs.example.com/mcp" } });
 */
export function createSharedServers(options: SharedServersOptions): SharedServers {
  assertKnownOptions("createSharedServers()", options, optionFields);
  const { store, lock, notices, key = "hostside:servers" } = options;
  assertMethods("store", store, ["get", "set", "delete"]);
  assertMethods("lock", lock, ["withLock"]);
  if (notices !== undefined) assertMethods("notices", notices, ["publish", "subscribe"]);
  if (typeof key !== "string" || key === "") throw new TypeError("key must be a text that is not empty");
  const version: ValueVersion = { what: `the servers under ${JSON.stringify(key)}`, version: 1 };
  const changed = writesTo(store, key);
  const read = async (): Promise<KeptServers> => toKept(readVersioned(await store.get(key), version), version);
  return {
    read,
    async write(servers, writeOptions = {}) {
      assertKnownOptions("write()", writeOptions, writeFields);
      const { expectedRevision } = writeOptions;
      if (expectedRevision !== undefined && !Number.isSafeInteger(expectedRevision)) {
        throw new TypeError("expectedRevision must be a revision that was read");
      }
      const specs = toJson(servers);
      const result = await lock.withLock(key, longestWriteMs, async (signal, fencingToken) => {
        const kept = await read();
        if (expectedRevision !== undefined && expectedRevision !== kept.revision) {
          return { written: false, kept } as const;
        }
        const revision = kept.revision + 1;
        // Not every store knows of fencing tokens.
        signal.throwIfAborted();
        await store.set(key, writeVersioned({ revision, servers: specs }, version), undefined, fencingToken);
        return { written: true, revision } as const;
      });
      if (result.written) {
        // Whoever hears nothing looks by itself, later.
        await notices?.publish(key).catch(() => undefined);
        changed.emit(undefined);
      }
      return result;
    },
    onChanged(listener) {
      const here = changed.on(listener);
      const elsewhere = notices?.subscribe(key, () => listener(undefined));
      const end = (): void => {
        here();
        elsewhere?.();
      };
      return Object.assign(end, { [Symbol.dispose]: end });
    },
  };
}

// The publisher hears nothing of its notice, and a process may have several of these over one
// store.
const writes = new WeakMap<Store, Map<string, EventSource<undefined>>>();

/** Fires after each write of this process under a key of a store. */
function writesTo(store: Store, key: string): EventSource<undefined> {
  const byKey = writes.get(store) ?? new Map<string, EventSource<undefined>>();
  writes.set(store, byKey);
  const event = byKey.get(key) ?? createEvent<undefined>();
  byKey.set(key, event);
  return event;
}

function toJson(servers: unknown): JsonValue {
  if (!isPlainObject(servers)) {
    throw new TypeError(`write() takes entries by their names, as in { docs: { url } }, not ${kindOf(servers)}`);
  }
  for (const [name, entry] of Object.entries(servers)) assertShareable(readServerEntry(name, entry));
  return JSON.parse(JSON.stringify(servers)) as JsonValue;
}

function toKept(value: JsonValue | undefined, { what }: ValueVersion): KeptServers {
  if (value === undefined) return { revision: 0, servers: {} };
  if (isJsonObject(value) && Number.isSafeInteger(value["revision"]) && isJsonObject(value["servers"])) {
    // The reader checks each entry: a wrong one costs none of the others.
    const servers = value["servers"] as unknown as KeptServers["servers"];
    return { revision: value["revision"] as number, servers };
  }
  throw new HostsideError(`what the store has of ${what} is not what was kept there`, { code: "store_failed" });
}

/**
 * Throws `invalid_spec` for a server that cannot be written to a store: it needs code, or holds a
 * credential.
 */
function assertShareable({ spec, extras }: ReadEntry): void {
  const { id } = spec;
  const fail = (field: string, message: string): HostsideError =>
    new HostsideError(`server ${JSON.stringify(id)}: ${message}`, {
      code: "invalid_spec",
      serverId: id,
      details: { operation: "write", field },
    });
  if (spec.command === undefined && spec.url === undefined) {
    throw fail("type", `a server of type ${spec.type} needs code, and cannot be shared`);
  }
  const secret = extras.oauth?.clientSecret === undefined ? [] : ["oauth.clientSecret"];
  const [field] = [...credentialFieldsOf(spec), ...secret];
  if (field === undefined) return;
  const instead =
    spec.command !== undefined
      ? "let the process have it from the environment of each replica (inheritEnv)"
      : field === "tls.key"
        ? "have the server in the servers of each replica"
        : 'say auth: "oauth", or auth: "api-key" with keys that each replica has';
  throw fail(field, `${field} holds a credential, which is not written to a shared store: ${instead}`);
}
