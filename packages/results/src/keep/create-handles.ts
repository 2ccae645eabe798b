import type { CallContext, FencingToken, JsonObject, JsonValue, Lock, Store } from "@hostside/core";
import { clock, isPlainObject, readVersioned, writeVersioned, type ValueVersion } from "@hostside/core/implement";
import type { BlobSink } from "./blob-sink.ts";
import { isRandomName, randomName } from "./sink-room.ts";

/** Whose a handle is: no other conversation, and no other principal, finds anything by it. */
export interface HandleOwner {
  /** What stands for the conversation in a store. */
  readonly scope: string;
  readonly principal: string | undefined;
}

/** What is known of something that was kept. */
export interface KeptItem {
  /** Of the sink. */
  readonly key: string;
  /** The type that its server gave, normal; `text/plain` for texts. */
  readonly mimeType: string;
  readonly bytes: number;
  /** Code points; `undefined` for what is no text. */
  readonly characters?: number | undefined;
  /** Which tool it came from. */
  readonly serverId: string;
  readonly toolName: string;
  /**
   * Who kept it: a random name of one presenter. Bytes that another one kept may be out of reach
   * here.
   */
  readonly keptBy: string;
}

/** What handles are made with. */
export interface HandlesInit {
  readonly store: Store;
  readonly lock: Lock;
  readonly sink: BlobSink;
  /** How long a handle is good, in milliseconds. */
  readonly ttlMs: number;
  /** Of one conversation. */
  readonly maxHandles: number;
  /** Of all that one conversation keeps. */
  readonly maxBytes: number;
}

// How long one change of a list may take.
const leaseMs = 5000;
const itemVersion: ValueVersion = { what: "a handle", version: 1 };
const listVersion: ValueVersion = { what: "the handles of a conversation", version: 1 };

/** A handle that was just made. */
export interface NewHandle {
  readonly handle: string;
  /** Older handles of the same conversation that had to go for it. */
  readonly dropped: readonly string[];
}

/** Handles: random names by which one conversation finds what was kept for it. */
export interface Handles {
  /** Makes a handle for what a sink has. Rejects as the store and the lock do. */
  add(item: KeptItem, owner: HandleOwner): Promise<NewHandle>;
  /**
   * What stands behind a handle; `undefined` for any that is not of this owner, or no longer good,
   * `"unreadable"` for one that a later version of Hostside made. Rejects as the store does.
   */
  find(handle: string, owner: HandleOwner): Promise<KeptItem | "unreadable" | undefined>;
  /** Forgets one handle and what stands behind it. */
  drop(handle: string, scope: string): Promise<void>;
  /** Forgets all that a conversation kept. */
  forget(scope: string): Promise<void>;
}

/** One handle in the list of its conversation, the oldest first. */
interface ListedHandle {
  readonly handle: string;
  readonly key: string;
  readonly bytes: number;
  /** A date. */
  readonly endsAt: number;
}

/** The list of one conversation, while nobody else changes it. */
interface ChangedList {
  readonly listed: readonly ListedHandle[];
  readonly fencingToken: FencingToken | undefined;
  readonly removeAll: (list: readonly ListedHandle[]) => Promise<void>;
  readonly write: (list: readonly ListedHandle[]) => Promise<void>;
}

/**
 * Keeps the records of handles in a store: one for each handle, and one for each conversation that
 * lists them, so that the oldest can go. What went is deleted in the sink as well. Who lost the
 * lock without noticing writes nothing; what a later version of Hostside has written is left as it
 * is, with `store_failed`.
 */
export function createHandles(init: HandlesInit): Handles {
  const { store, lock, sink, ttlMs, maxHandles, maxBytes } = init;

  const readList = async (scope: string): Promise<readonly ListedHandle[]> => {
    const list = readVersioned(await store.get(listKey(scope)), listVersion);
    return Array.isArray(list) ? list.filter(isListedHandle) : [];
  };
  const change = <T>(scope: string, work: (list: ChangedList) => Promise<T>): Promise<T> =>
    lock.withLock(listKey(scope), leaseMs, async (signal, fencingToken) => {
      const remove = async ({ handle, key }: ListedHandle): Promise<void> => {
        // The record first: a handle without its bytes would be a promise that is not kept.
        await store.delete(itemKey(handle), fencingToken);
        await sink.delete(key);
      };
      const listed = await readList(scope);
      // Not every store knows of fencing tokens.
      signal.throwIfAborted();
      return work({
        listed,
        fencingToken,
        removeAll: async (list) => void (await Promise.all(list.map(remove))),
        async write(list) {
          if (list.length === 0) await store.delete(listKey(scope), fencingToken);
          else await store.set(listKey(scope), writeVersioned(list.map(toJson), listVersion), ttlMs, fencingToken);
        },
      });
    });

  return {
    add: (item, owner) =>
      change(owner.scope, async ({ listed, fencingToken, removeAll, write }) => {
        const now = clock.date();
        const handle = randomName();
        const live = listed.filter(({ endsAt }) => endsAt > now);
        const stay = newest(live, { handles: maxHandles - 1, bytes: maxBytes - item.bytes });
        const gone = live.slice(0, live.length - stay.length);
        await removeAll([...listed.filter((one) => !live.includes(one)), ...gone]);
        await store.set(itemKey(handle), writeItem(item, owner), ttlMs, fencingToken);
        await write([...stay, { handle, key: item.key, bytes: item.bytes, endsAt: now + ttlMs }]);
        return { handle, dropped: gone.map((one) => one.handle) };
      }),
    async find(handle, owner) {
      return isRandomName(handle) ? readItem(await store.get(itemKey(handle)), owner) : undefined;
    },
    drop: (handle, scope) =>
      change(scope, async ({ listed, removeAll, write }) => {
        await removeAll(listed.filter((one) => one.handle === handle));
        await write(listed.filter((one) => one.handle !== handle));
      }),
    forget: (scope) =>
      change(scope, async ({ listed, removeAll, write }) => {
        await removeAll(listed);
        await write([]);
      }),
  };
}

/**
 * The owner of what a call keeps: its conversation, which is its principal's. Calls that name no
 * conversation belong together only within one presenter, which `instance` stands for.
 */
export function ownerOf(
  { conversation, principal }: Pick<CallContext, "conversation" | "principal">,
  instance: string,
): HandleOwner {
  const scope = conversation === undefined ? `unnamed:${instance}` : `named:${conversation}`;
  // As JSON no two are alike, whatever their texts have in them.
  return { scope: principal === undefined ? scope : `${JSON.stringify(principal)}:${scope}`, principal };
}

function writeItem(item: KeptItem, { scope, principal }: HandleOwner): JsonObject {
  const { characters = null, ...rest } = item;
  return writeVersioned({ ...rest, characters, scope, principal: principal ?? null }, itemVersion);
}

// `undefined` for what is of somebody else, `"unreadable"` for what another version has written.
function readItem(stored: unknown, owner: HandleOwner): KeptItem | "unreadable" | undefined {
  let value: JsonValue | undefined;
  try {
    value = readVersioned(stored, itemVersion);
  } catch {
    return "unreadable";
  }
  if (!isPlainObject(value)) return undefined;
  const { scope, principal, key, mimeType, bytes, characters, serverId, toolName, keptBy } = value;
  if (scope !== owner.scope || principal !== (owner.principal ?? null)) return undefined;
  if (typeof key !== "string" || typeof mimeType !== "string" || typeof bytes !== "number") return undefined;
  if (typeof serverId !== "string" || typeof toolName !== "string" || typeof keptBy !== "string") return undefined;
  const item = { key, mimeType, bytes, serverId, toolName, keptBy };
  return typeof characters === "number" ? { ...item, characters } : item;
}

/** The newest that fit together. */
function newest(
  list: readonly ListedHandle[],
  space: { readonly handles: number; readonly bytes: number },
): readonly ListedHandle[] {
  let { handles, bytes } = space;
  let from = list.length;
  for (const one of list.toReversed()) {
    handles -= 1;
    bytes -= one.bytes;
    if (handles < 0 || bytes < 0) break;
    from -= 1;
  }
  return list.slice(from);
}

function itemKey(handle: string): string {
  return `hostside-results:item:${handle}`;
}

function listKey(scope: string): string {
  return `hostside-results:list:${scope}`;
}

function toJson({ handle, key, bytes, endsAt }: ListedHandle): JsonObject {
  return { handle, key, bytes, endsAt };
}

function isListedHandle(value: unknown): value is ListedHandle {
  return (
    isPlainObject(value) &&
    typeof value["handle"] === "string" &&
    typeof value["key"] === "string" &&
    typeof value["bytes"] === "number" &&
    typeof value["endsAt"] === "number"
  );
}
