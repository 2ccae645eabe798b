import type { Lock } from "@hostside/core";
import { isJsonObject, storeFailed } from "@hostside/core/implement";
import { settleInTurns } from "../settle-in-turns.ts";
import type { ConfirmedStore } from "./confirmed-store.ts";
import { envelopeText, readDocumentEnvelope } from "./envelope.ts";
import { hashText } from "./hash-text.ts";
import type { SealedPlace, Sealer } from "./sealer.ts";

/** Which keys a store has, because a `Keyv` cannot be asked. */
export interface StoreIndex {
  /** Changes what is kept for a key, alone among all who change keys of its part of the index. */
  change<T>(place: { readonly key: string }, work: (change: IndexChange) => Promise<T>): Promise<T>;
  /** The texts of all keys. There may be one among them of which nothing is kept any more. */
  list(): Promise<readonly string[]>;
  /** Seals the index anew where that was done with another key. */
  reseal(): Promise<void>;
}

/** The part of the index that has a key, while nobody else changes it. */
export interface IndexChange {
  /** How long the key is needed, in milliseconds; `undefined` without an end. */
  readonly leftMs: number | undefined;
  put(ttlMs: number | undefined): Promise<void>;
  remove(): Promise<void>;
  /** Throws `store_failed` when it took too long, and somebody else has the turn. */
  assertAlone(): void;
}

/** What a {@linkcode StoreIndex} is made from. */
export interface StoreIndexInit {
  readonly texts: ConfirmedStore;
  readonly lock: Lock;
  readonly sealer: Sealer;
  readonly prefix: string;
  /** In milliseconds since 1970. */
  readonly now: () => number;
}

/** When each key is needed no more, in milliseconds since 1970; `null` without an end. */
type Entries = Map<string, number | null>;

// In parts, so that of many thousand keys not all are written for each new one, and not all who
// sign in wait for each other.
const parts = 64;
const leaseMs = 30_000;

/** An index in sealed documents of the same store. */
export function createStoreIndex({ texts, lock, sealer, prefix, now }: StoreIndexInit): StoreIndex {
  const places = Array.from({ length: parts }, (_, part): SealedPlace & { readonly key: string } => {
    return { key: `index:${part}`, name: `${prefix}index:${part}`, what: `part ${part} of the index of the store` };
  });
  const read = async (place: SealedPlace): Promise<Entries> => {
    const sealed = await texts.get(place.name);
    return sealed === undefined ? new Map() : readEntries(place.what, await sealer.open(place, sealed));
  };
  const write = async (place: SealedPlace & { readonly key: string }, entries: Entries): Promise<void> => {
    const current = Array.from(entries).filter(([, endsAt]) => endsAt === null || endsAt > now());
    const json = JSON.stringify({ entries: current });
    await texts.set(place.name, await sealer.seal(place, envelopeText({ key: place.key, json })));
  };
  const alone = <T>(place: SealedPlace, work: (assertAlone: () => void) => Promise<T>): Promise<T> =>
    lock.withLock(`${place.name}:lock`, leaseMs, (signal) =>
      work(() => {
        if (signal.aborted) throw storeFailed(`${place.what}: the store was too slow, and somebody else has the turn`);
      }),
    );
  return {
    async change({ key }, work) {
      const [part = 0] = await hashText(key);
      const place = places[part % parts];
      // There is one for each remainder.
      if (place === undefined) throw new TypeError(`no part ${part}`);
      return alone(place, async (assertAlone) => {
        const entries = await read(place);
        const endsAt = entries.get(key);
        const leftMs = typeof endsAt === "number" ? Math.max(1, endsAt - now()) : undefined;
        return work({
          leftMs,
          assertAlone,
          async put(ttlMs) {
            if (ttlMs === undefined && endsAt === null) return;
            assertAlone();
            await write(place, entries.set(key, ttlMs === undefined ? null : now() + ttlMs));
          },
          async remove() {
            assertAlone();
            if (entries.delete(key)) await write(place, entries);
          },
        });
      });
    },
    async list() {
      const all = await settleInTurns(places, read);
      return all.flatMap((entries) =>
        Array.from(entries).flatMap(([key, endsAt]) => (endsAt === null || endsAt > now() ? [key] : [])),
      );
    },
    async reseal() {
      for (const place of places) {
        await alone(place, async (assertAlone) => {
          const entries = await read(place);
          assertAlone();
          if (entries.size > 0) await write(place, entries);
        });
      }
    },
  };
}

function readEntries(what: string, text: string): Entries {
  const { document } = readDocumentEnvelope(what, text);
  const { entries } = isJsonObject(document) ? document : {};
  if (!Array.isArray(entries)) throw storeFailed(`${what}: not written by Hostside`);
  return new Map(entries as readonly (readonly [string, number | null])[]);
}
