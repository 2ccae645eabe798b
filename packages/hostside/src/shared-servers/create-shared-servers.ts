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
  specError,
  type EventSource,
  type Fields,
  type ValueVersion,
} from "@hostside/core/implement";
import { readServerEntry, type ReadEntry } from "../contract/server-entries.ts";
import { checkRules, stateRules } from "../contract/check-options.ts";
import type { HostState } from "../contract/host-options.ts";
import type { KeptServers, SharedServers, WriteServersOptions } from "../contract/shared-servers.ts";

/** Options of {@linkcode createSharedServers}: a state, whose other members are not used. */
export interface SharedServersOptions extends HostState {
  /** Makes a write exclusive among all that share the store. */
  readonly lock: Lock;
}

const writeFields: Fields<WriteServersOptions> = { expectedRevision: true };
const longestWriteMs = 10_000;
const key = "hostside:servers";
const version: ValueVersion = { what: "the shared servers", version: 1 };

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
  assertKnownOptions("createSharedServers()", options, stateRules);
  const { store, lock, notices } = options;
  checkRules("", { store: store ?? {}, lock: lock ?? {}, notices }, stateRules);
  const changed = writesTo(store);
  const read = async (): Promise<KeptServers> => toKept(readVersioned(await store.get(key), version));
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
const writes = new WeakMap<Store, EventSource<undefined>>();

/** Fires after each write of this process to a store. */
function writesTo(store: Store): EventSource<undefined> {
  const event = writes.get(store) ?? createEvent<undefined>();
  writes.set(store, event);
  return event;
}

function toJson(servers: unknown): JsonValue {
  if (!isPlainObject(servers)) {
    throw new TypeError(`write() takes entries by their names, as in { docs: { url } }, not ${kindOf(servers)}`);
  }
  for (const [name, entry] of Object.entries(servers)) assertShareable(readServerEntry(name, entry));
  return JSON.parse(JSON.stringify(servers)) as JsonValue;
}

function toKept(value: JsonValue | undefined): KeptServers {
  if (value === undefined) return { revision: 0, servers: {} };
  if (isJsonObject(value) && Number.isSafeInteger(value["revision"]) && isJsonObject(value["servers"])) {
    // The reader checks each entry: a wrong one costs none of the others.
    const servers = value["servers"] as unknown as KeptServers["servers"];
    return { revision: value["revision"] as number, servers };
  }
  throw new HostsideError(`what the store has of ${version.what} is not what was kept there`, { code: "store_failed" });
}

/**
 * Throws `invalid_spec` for a server that cannot be written to a store: it needs code, or holds a
 * credential.
 */
function assertShareable({ spec, extras }: ReadEntry): void {
  if (spec.command === undefined && spec.url === undefined)
    throw specError(spec.id, "type", `${spec.type} needs code, and cannot be shared`);
  const secret = extras.oauth?.clientSecret === undefined ? [] : ["oauth.clientSecret"];
  const [field] = [...credentialFieldsOf(spec), ...secret];
  if (field === undefined) return;
  const instead =
    spec.command !== undefined
      ? "let the process have it from the environment of each replica (inheritEnv)"
      : field === "tls.key"
        ? "have the server in the servers of each replica"
        : 'say auth: "oauth", or auth: "api-key" with keys that each replica has';
  throw specError(spec.id, field, `holds a credential, which is not written to a shared store: ${instead}`);
}
