import type { Trust, TrustEntry } from "../trust/trust.ts";

/** Asks users about servers without anybody waiting for them. */
export interface TrustPrompts {
  /**
   * What is undecided now. What is asked already is not asked again, and what is over is asked no
   * more.
   */
  ask(entries: readonly TrustEntry[]): void;
  /** Asks nothing more, and gives up what is asked. */
  close(): void;
}

/** Asks with this trust, and calls `onAnswer` after each answer. */
export function createTrustPrompts(trust: Trust, onAnswer: () => void): TrustPrompts {
  const asked = new Map<string, AbortController>();
  let closed = false;
  const askOne = async (entry: TrustEntry, signal: AbortSignal): Promise<void> => {
    const verdict = await trust.decide(entry, { ask: true, signal });
    if (signal.aborted) return;
    if (verdict.trusted || verdict.why === "refused") onAnswer();
  };
  const giveUp = (key: string): void => {
    asked.get(key)?.abort();
    asked.delete(key);
  };
  return {
    ask(entries) {
      if (closed) return;
      const keyed = new Map(entries.map((entry) => [keyOf(entry), entry]));
      for (const key of asked.keys()) if (!keyed.has(key)) giveUp(key);
      for (const [key, entry] of keyed) {
        if (asked.has(key)) continue;
        const controller = new AbortController();
        // Without an answer it stays in the list: nobody wants to be asked the same at every edit.
        asked.set(key, controller);
        void askOne(entry, controller.signal);
      }
    },
    close() {
      closed = true;
      for (const key of asked.keys()) giveUp(key);
    },
  };
}

function keyOf({ server, folder, files, settings, replaces }: TrustEntry): string {
  const { id, file, dialect, draft, extras, variables, inputs } = server;
  return JSON.stringify([id, file, dialect, draft, extras, variables, inputs, folder, files, settings, replaces]);
}
