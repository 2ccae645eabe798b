import { createMemoryStore, type Store } from "@hostside/core";

/** A store in memory that refuses to be written to while it is down. */
export interface UnsteadyStore extends Store {
  isDown: boolean;
}

/** Makes one, which is up. */
export function createUnsteadyStore(): UnsteadyStore {
  const memory = createMemoryStore();
  const store: UnsteadyStore = {
    ...memory,
    isDown: false,
    async set(...entry) {
      if (store.isDown) throw new Error("down");
      await memory.set(...entry);
    },
  };
  return store;
}
