/** Work that goes on by itself, and can be waited for. */
export interface BackgroundWork {
  /** Returns what it was given. */
  add<T>(work: Promise<T>): Promise<T>;
  /** Resolves when nothing is under way any more, however it ended. */
  readonly settle: () => Promise<void>;
}

/** Makes an empty one. */
export function createBackgroundWork(): BackgroundWork {
  const all = new Set<Promise<unknown>>();
  const forget = async (work: Promise<unknown>): Promise<void> => {
    try {
      await work;
    } catch {
      // Whoever began it hears of it.
    }
    all.delete(work);
  };
  return {
    add(work) {
      all.add(work);
      void forget(work);
      return work;
    },
    async settle() {
      while (all.size > 0) await Promise.allSettled(all);
    },
  };
}
