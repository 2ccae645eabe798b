import type { CallContext, FencingToken, JsonObject, Lock, Store } from "@hostside/core";
import { clock, isPlainObject, readVersioned, writeVersioned, type ValueVersion } from "@hostside/core/implement";
import { hashJson } from "@hostside/naming";
import type { BlobSink } from "./blob-sink.ts";
import { randomName } from "./sink-room.ts";

/** Facts about something that was kept. */
export interface KeptItem {
  /** The key in the sink. */
  readonly key: string;
  /** The type that its server gave, normal; `text/plain` for texts. */
  readonly mimeType: string;
  readonly bytes: number;
  /** Code points; `undefined` for what is no text. */
  readonly characters?: number | undefined;
  /** The tool it came from. */
  readonly serverId: string;
  readonly toolName: string;
}

/** The parts of handles. */
export interface HandlesInit {
  readonly store: Store;
  readonly lock: Lock;
  readonly sink: BlobSink;
  /** How long a handle is good, in milliseconds. */
  readonly ttlMs: number;
  /** Handles of one conversation. */
  readonly maxHandles: number;
  /** Bytes of all that one conversation keeps. */
  readonly maxBytes: number;
}

/** Handles: random names by which one conversation finds what was kept for it. */
export interface Handles {
  /**
   * Makes a handle for what a sink has; the oldest of the same conversation go for it. Rejects as
   * the store and the lock do.
   */
  add(item: KeptItem, scope: string): Promise<string>;
  /**
   * Finds what stands behind a handle; `undefined` for any that is not of this conversation, or no
   * longer good. Rejects as the store does.
   */
  find(handle: string, scope: string): Promise<KeptItem | undefined>;
  /** Forgets one handle and what stands behind it. */
  drop(handle: string, scope: string): Promise<void>;
  /** Forgets all that a conversation kept. */
  forget(scope: string): Promise<void>;
}

/** One handle in the list of its conversation, the oldest first. */
interface ListedItem extends KeptItem {
  readonly handle: string;
  /** A date. */
  readonly endsAt: number;
}

type List = readonly ListedItem[];

// How long one change of a list may take.
const leaseMs = 5000;
const format: ValueVersion = { what: "the handles of a conversation", version: 1 };

/**
 * Keeps the handles of each conversation in a store, in one list, so that the oldest can go. The
 * data of a removed handle is deleted in the sink as well. A holder that lost the lock without
 * noticing writes nothing; what a later version of Hostside has written is left as it is, with
 * `store_failed`.
 */
export function createHandles({ store, lock, sink, ttlMs, maxHandles, maxBytes }: HandlesInit): Handles {
  const write = async (scope: string, list: List, fencingToken: FencingToken | undefined): Promise<void> => {
    if (list.length === 0) await store.delete(keyOf(scope), fencingToken);
    else await store.set(keyOf(scope), writeVersioned(list.map(toJson), format), ttlMs, fencingToken);
  };
  /**
   * Replaces the list, and deletes in the sink what is gone from it. A handle whose data cannot be
   * deleted stays in the list as expired, so that the next change tries again. Resolves to why.
   */
  const change = (scope: string, next: (list: List) => List): Promise<readonly unknown[]> =>
    lock.withLock(keyOf(scope), leaseMs, async (signal, fencingToken) => {
      const before = readList(await store.get(keyOf(scope)));
      // Not every store knows of fencing tokens.
      signal.throwIfAborted();
      const after = next(before);
      // The record first: a handle without its bytes would be a promise that is not kept.
      await write(scope, after, fencingToken);
      const gone = before.filter((one) => !after.includes(one));
      const ends = await Promise.allSettled(gone.map(async ({ key }) => sink.delete(key)));
      const left = gone.filter((_, at) => ends[at]?.status === "rejected").map((one) => ({ ...one, endsAt: 0 }));
      if (left.length > 0) await write(scope, [...left, ...after], fencingToken);
      return ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
    });
  const changeAll = async (scope: string, next: (list: List) => List): Promise<void> => {
    const failures = await change(scope, next);
    if (failures.length > 0) throw failures[0];
  };
  return {
    async add(item, scope) {
      const handle = randomName();
      await change(scope, (list) => {
        const now = clock.date();
        const live = list.filter(({ endsAt }) => endsAt > now);
        const stay = newest(live, { handles: maxHandles - 1, bytes: maxBytes - item.bytes });
        return [...stay, { ...item, handle, endsAt: now + ttlMs }];
      });
      return handle;
    },
    async find(handle, scope) {
      const list = readList(await store.get(keyOf(scope)));
      return list.find((one) => one.handle === handle && one.endsAt > clock.date());
    },
    drop: (handle, scope) => changeAll(scope, (list) => list.filter((one) => one.handle !== handle)),
    forget: (scope) => changeAll(scope, () => []),
  };
}

/**
 * The name under which handles of a call are kept: its conversation, which is its principal's.
 * Calls that name no conversation belong together only within one presenter, which `instance`
 * stands for.
 */
export function scopeOf(
  { conversation, principal }: Pick<CallContext, "conversation" | "principal">,
  instance: string,
): string {
  const scope = conversation === undefined ? `unnamed:${instance}` : `named:${conversation}`;
  // As JSON no two are alike, whatever their texts have in them.
  return principal === undefined ? scope : `${JSON.stringify(principal)}:${scope}`;
}

/** The newest that fit together. */
function newest(list: List, space: { readonly handles: number; readonly bytes: number }): List {
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

function keyOf(scope: string): string {
  // Names of users and chats belong in no key: operators see keys, and the locks of files.
  return `hostside-results:list:${hashJson(scope)}`;
}

function toJson({ characters, ...item }: ListedItem): JsonObject {
  return { ...item, characters: characters ?? null };
}

function readList(stored: unknown): List {
  const list = readVersioned(stored, format);
  return Array.isArray(list) ? list.flatMap((item: unknown) => readItem(item) ?? []) : [];
}

const texts = ["handle", "key", "mimeType", "serverId", "toolName"];
const numbers = ["bytes", "endsAt"];

function readItem(value: unknown): ListedItem | undefined {
  if (!isPlainObject(value)) return undefined;
  const isItem =
    texts.every((name) => typeof value[name] === "string") && numbers.every((name) => typeof value[name] === "number");
  if (!isItem) return undefined;
  const { characters, ...item } = value as unknown as ListedItem;
  return typeof characters === "number" ? { ...item, characters } : item;
}
