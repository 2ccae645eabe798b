import type { Notices } from "@hostside/core";

/** Notices among replicas in one process. */
export interface NoticeBus {
  replica(): Notices;
  /** How many listen. */
  readonly listeners: number;
  /** What was published. */
  readonly topics: string[];
  /** When it fails with that from now on. */
  failure: Error | undefined;
}

/** `deliver` runs each delivery; by default in a turn of its own. */
export function createNoticeBus(deliver: (task: () => void) => void = (task) => queueMicrotask(task)): NoticeBus {
  const all = new Set<{ readonly of: object; readonly topic: string; readonly hear: () => void }>();
  const bus: NoticeBus = {
    topics: [],
    failure: undefined,
    get listeners() {
      return all.size;
    },
    replica() {
      const me = {};
      return {
        async publish(topic) {
          if (bus.failure !== undefined) throw bus.failure;
          bus.topics.push(topic);
          for (const one of all) {
            if (one.of === me || one.topic !== topic) continue;
            deliver(() => {
              if (all.has(one)) one.hear();
            });
          }
        },
        subscribe(topic, hear) {
          const one = { of: me, topic, hear };
          all.add(one);
          const end = (): void => void all.delete(one);
          return Object.assign(end, { [Symbol.dispose]: end });
        },
      };
    },
  };
  return bus;
}
