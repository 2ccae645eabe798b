import type { FencingToken, Store } from "@hostside/core";
import { doStep, type StepLimit, storeFailed } from "@hostside/core/implement";

/** A store of texts whose answers can be relied on. */
export interface ConfirmedStore {
  /** The text; `undefined` when the store answers and has none. */
  get(name: string): Promise<string | undefined>;
  /** Resolves when the store has it. */
  set(name: string, text: string, keeping?: WriteOptions): Promise<void>;
  /** Resolves when the store has it no more. */
  delete(name: string): Promise<void>;
}

/** How a text is kept. */
export interface WriteOptions {
  /** For how long; absent: without an end. */
  readonly ttlMs?: number | undefined;
  /** Whose turn it is, for a store that knows of fencing tokens. */
  readonly fencingToken?: FencingToken | undefined;
}

/** What a {@linkcode ConfirmedStore} is made from. */
export interface ConfirmedStoreInit extends StepLimit {
  readonly store: Store;
  /** A name that nothing else is kept under. */
  readonly marker: string;
}

const present = "hostside";

/**
 * Makes of any `Keyv` one that does not lie. By default a Keyv and some of its adapters swallow the
 * error of a database that is down: `get` resolves to `undefined` then, `set` to `true`. So nothing
 * counts as absent unless a marker, which is there, can be read in between; and what was written is
 * read again.
 */
export function createConfirmedStore(init: ConfirmedStoreInit): ConfirmedStore {
  const { store, marker } = init;
  const ask = (name: string): Promise<unknown> => doStep("reading from the store", init, async () => store.get(name));
  const put = async (name: string, text: string, { ttlMs, fencingToken }: WriteOptions): Promise<void> => {
    const said = await doStep("writing to the store", init, async () => store.set(name, text, ttlMs, fencingToken));
    if (said === false)
      throw storeFailed("writing to the store failed; what is wrong, the store said nowhere but in its events");
  };
  const assertAnswers = async (): Promise<void> => {
    if ((await ask(marker)) === present) return;
    await put(marker, present, {});
    if ((await ask(marker)) !== present) {
      throw storeFailed("the store does not have what was just written to it: it is down, or forgets");
    }
  };
  const get = async (name: string): Promise<string | undefined> => {
    let value = await ask(name);
    if (value === undefined || value === null) {
      await assertAnswers();
      value = await ask(name);
    }
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "string") throw storeFailed("the store has something under one of its names that is no text");
    return value;
  };
  return {
    get,
    async set(name, text, keeping = {}) {
      const { ttlMs } = keeping;
      const startedAt = init.clock.now();
      await put(name, text, keeping);
      const value = await ask(name);
      // What was to be kept for a moment may have been there for that moment.
      const isOver = ttlMs !== undefined && init.clock.now() - startedAt >= ttlMs;
      if (value !== text && !(isOver && (value === undefined || value === null))) {
        throw storeFailed("the store does not have what was just written to it: it is down, or forgets");
      }
    },
    async delete(name) {
      await doStep("deleting from the store", init, async () => store.delete(name));
      if ((await get(name)) !== undefined) throw storeFailed("the store still has what was just deleted from it");
    },
  };
}
