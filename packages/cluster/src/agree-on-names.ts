import { HostsideError, type JsonValue, type Lock, type Store } from "@hostside/core";
import {
  assertKnownOptions,
  foldCase,
  isJsonObject,
  readVersioned,
  writeVersioned,
  type Fields,
} from "@hostside/core/implement";
import type { AgreeOnNames } from "@hostside/provider";

/** Where replicas keep the names that they agree on. */
export interface AgreeOnNamesOptions {
  readonly store: Store;
  /** One for all who share the store. */
  readonly lock: Lock;
  /** The key in the store, and of the lock. Default `"hostside:names"`. */
  readonly key?: string | undefined;
  /** How long one of them may have the lock, in milliseconds. Default 1,500. */
  readonly leaseMs?: number | undefined;
  /**
   * How many names are kept. More are refused, with `store_failed`: then each replica gives its
   * own. Default 50,000.
   */
  readonly maxNames?: number | undefined;
}

const optionFields: Fields<AgreeOnNamesOptions> = { store: true, lock: true, key: true, leaseMs: true, maxNames: true };
const format = { what: "the names of tools", version: 1 } as const;

/**
 * Makes what a book of names (`createNameBook({ agree })`) asks, over a store that all replicas
 * share: who comes first gives a tool its name, and all others get it, in whatever order they list.
 * A name that another tool has there is answered as that tool's. What is known already is read
 * without the lock.
 *
 * Rejects as store and lock do, and with `store_failed` where the store has something else under
 * the key, or something of a later version. Throws a `TypeError` for an option that is unknown or
 * of a wrong type.
 */
export function agreeOnNames(options: AgreeOnNamesOptions): AgreeOnNames {
  assertKnownOptions("agreeOnNames()", options, optionFields);
  const { store, lock, key = "hostside:names", leaseMs = 1500, maxNames = 50_000 } = options;
  if (typeof store?.get !== "function" || typeof store.set !== "function") throw new TypeError("store must be a store");
  if (typeof lock?.withLock !== "function") throw new TypeError("lock must be a lock");
  if (typeof key !== "string" || key === "") throw new TypeError("key must be a text that is not empty");
  if (!Number.isSafeInteger(maxNames) || maxNames < 1) throw new TypeError("maxNames must be an integer above 0");
  return async (proposed, signal) => {
    const known = answer(await readNames(store, key), proposed);
    if (known !== undefined) return known;
    return lock.withLock(key, leaseMs, async (lost, fencingToken) => {
      const names = await readNames(store, key);
      const added = addNames(names, proposed);
      if (added && names.owners.size > maxNames) throw tooMany(maxNames);
      // Nobody waits for it, or somebody else has the lock by now: what this one would write may be
      // over what that one wrote.
      signal.throwIfAborted();
      lost.throwIfAborted();
      if (added) await store.set(key, writeVersioned(toJson(names), format), undefined, fencingToken);
      const agreed = answer(names, proposed);
      if (agreed === undefined)
        throw new HostsideError("names are missing that were just added", { code: "internal_error" });
      return agreed;
    });
  };
}

type SavedNames = Parameters<AgreeOnNames>[0];
type Owner = readonly [serverId: string, toolName: string];

/** Names as the store has them. */
interface Names {
  readonly servers: Map<string, Map<string, string>>;
  /** By name, with A to Z lower-cased. */
  readonly owners: Map<string, Owner>;
}

async function readNames(store: Store, key: string): Promise<Names> {
  const names: Names = { servers: new Map(), owners: new Map() };
  const saved = readVersioned(await store.get(key), format);
  if (saved === undefined) return names;
  if (!isSavedNames(saved))
    throw new HostsideError(`what the store has of ${format.what} is not what was kept there`, {
      code: "store_failed",
    });
  for (const [serverId, tools] of saved.servers) {
    for (const [toolName, name] of tools) give(names, [serverId, toolName], name);
  }
  return names;
}

/** Whether any was added: those of pairs that have none, unless somebody else has the name. */
function addNames(names: Names, proposed: SavedNames): boolean {
  let added = false;
  for (const [serverId, tools] of proposed.servers) {
    for (const [toolName, name] of tools) {
      if (names.servers.get(serverId)?.has(toolName) === true || names.owners.has(foldCase(name))) continue;
      give(names, [serverId, toolName], name);
      added = true;
    }
  }
  return added;
}

function give(names: Names, owner: Owner, name: string): void {
  const [serverId, toolName] = owner;
  const tools = names.servers.get(serverId) ?? new Map<string, string>();
  names.servers.set(serverId, tools.set(toolName, name));
  names.owners.set(foldCase(name), owner);
}

/**
 * What holds of what was proposed, with those who have a name that was proposed for somebody else;
 * `undefined` while something is undecided.
 */
function answer({ servers, owners }: Names, proposed: SavedNames): SavedNames | undefined {
  const agreed = new Map<string, Map<string, string>>();
  for (const [serverId, tools] of proposed.servers) {
    for (const [toolName, name] of tools) {
      const own = servers.get(serverId)?.get(toolName);
      const [ownerId, ownerTool] = own === undefined ? (owners.get(foldCase(name)) ?? []) : [serverId, toolName];
      if (ownerId === undefined || ownerTool === undefined) return undefined;
      const kept = agreed.get(ownerId) ?? new Map<string, string>();
      agreed.set(ownerId, kept.set(ownerTool, own ?? name));
    }
  }
  return toSaved(agreed);
}

function toSaved(servers: ReadonlyMap<string, ReadonlyMap<string, string>>): SavedNames {
  return { version: 1, servers: Array.from(servers, ([serverId, tools]) => [serverId, Array.from(tools)] as const) };
}

function toJson({ servers }: Names): JsonValue {
  return {
    version: 1,
    servers: Array.from(servers, ([serverId, tools]) => [serverId, Array.from(tools, (pair) => [...pair])]),
  };
}

function isSavedNames(value: JsonValue): value is JsonValue & SavedNames {
  return (
    isJsonObject(value) &&
    Array.isArray(value["servers"]) &&
    value["servers"].every(
      (server: unknown) =>
        isPair(server) &&
        typeof server[0] === "string" &&
        Array.isArray(server[1]) &&
        server[1].every((tool: unknown) => isPair(tool) && typeof tool[0] === "string" && typeof tool[1] === "string"),
    )
  );
}

function isPair(value: unknown): value is readonly [unknown, unknown] {
  return Array.isArray(value) && value.length === 2;
}

function tooMany(maxNames: number): HostsideError {
  return new HostsideError(`the store keeps ${maxNames} names of tools already (maxNames), and takes no more`, {
    code: "store_failed",
  });
}
