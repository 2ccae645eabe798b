import { createMemoryLock, createMemoryStore, type Lock, type Notices, type Store } from "@hostside/core";

/** What two replicas share, in one process. */
export interface MemoryHub {
  /** A state for one more replica. */
  state(): { readonly store: Store; readonly lock: Lock; readonly notices: Notices };
}

/** Makes one. Notices reach all other replicas, in the turn in which they are published. */
export function createMemoryHub(): MemoryHub {
  const [store, lock] = [createMemoryStore(), createMemoryLock()];
  const listeners = new Set<{ readonly from: object; readonly topic: string; readonly call: () => void }>();
  return {
    state() {
      const from = {};
      const notices: Notices = {
        async publish(topic) {
          for (const one of listeners) if (one.from !== from && one.topic === topic) one.call();
        },
        subscribe(topic, call) {
          const one = { from, topic, call };
          listeners.add(one);
          const end = (): void => void listeners.delete(one);
          return Object.assign(end, { [Symbol.dispose]: end });
        },
      };
      return { store, lock, notices };
    },
  };
}
