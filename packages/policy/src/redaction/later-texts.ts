import { runSoon } from "@hostside/core/implement";
import type { Clock } from "@hostside/core";

/** For what a text is searched: `values` are those that the host knows. */
export type LaterKind = "text" | "values";

/**
 * The texts of one result that together are too long to be masked at once. The result is gone
 * through, they are masked in turns, and the result is gone through again.
 */
export interface LaterTexts {
  /**
   * What a text is with its secrets masked; itself while it waits; `undefined`: mask it at once.
   */
  take(what: LaterKind, text: string): string | undefined;
  /** Masks what waits. `false`: nothing does. */
  mask(maskOne: (what: LaterKind, text: string) => Promise<string>): Promise<boolean>;
}

// So much takes some milliseconds.
const mostAtOnce = 32_768;

/** An empty set. */
export function createLaterTexts(): LaterTexts {
  const masked = { text: new Map<string, string>(), values: new Map<string, string>() };
  const waiting = { text: new Set<string>(), values: new Set<string>() };
  let left = mostAtOnce;
  return {
    take(what, text) {
      const known = masked[what].get(text);
      if (known !== undefined) return known;
      left -= text.length;
      if (left >= 0) return undefined;
      waiting[what].add(text);
      return text;
    },
    async mask(maskOne) {
      left = mostAtOnce;
      if (waiting.text.size + waiting.values.size === 0) return false;
      for (const what of ["text", "values"] as const) {
        for (const text of waiting[what]) {
          masked[what].set(text, await maskOne(what, text));
          waiting[what].delete(text);
        }
      }
      return true;
    },
  };
}

const turnMs = 2;

/** Lets others have their turn, when a turn has taken long enough. */
export function createPause(clock: Clock): () => Promise<void> | undefined {
  let since = clock.now();
  return () => {
    if (clock.now() - since < turnMs) return undefined;
    return new Promise((resolve) => {
      runSoon(clock, () => {
        since = clock.now();
        resolve();
      });
    });
  };
}
