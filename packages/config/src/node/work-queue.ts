/** Does one thing again and again, once at a time. */
export interface WorkQueue {
  /**
   * Has it done once more, from its beginning. Settles as that does; requests that wait for the
   * same time share it.
   */
  request(): Promise<void>;
  /** When nothing is under way and nothing waits. Never rejects. */
  settled(): Promise<void>;
}

/** A queue of this work. */
export function createWorkQueue(work: () => Promise<void>): WorkQueue {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    const run = (async () => {
      try {
        await work();
      } finally {
        current = undefined;
      }
    })();
    current = run;
    return run;
  };
  const startNext = async (before: Promise<void>): Promise<void> => {
    await before.catch(() => undefined);
    next = undefined;
    await start();
  };
  return {
    request() {
      if (current === undefined && next === undefined) return start();
      next ??= startNext(current ?? Promise.resolve());
      return next;
    },
    async settled() {
      for (let pending = next ?? current; pending !== undefined; pending = next ?? current) {
        await pending.catch(() => undefined);
      }
    },
  };
}
