import type { FencingToken } from "@hostside/core";
import { storeFailed } from "@hostside/core/implement";

/** Who has a turn with what, in this process. */
export interface LockTurns {
  /** Does the work of a turn; its signal aborts when the turn is lost. */
  during<T>(name: string, turn: LockTurn, work: () => Promise<T>): Promise<T>;
  /**
   * Throws `store_failed` when the work of a turn goes on that was lost: what it saves would take
   * the place of what the next one saved.
   */
  assertNotLost(name: string, what: string): void;
  /** That of the turn, if there is one. */
  fencingTokenOf(name: string): FencingToken | undefined;
}

/** One who has a turn. */
export interface LockTurn {
  readonly signal: AbortSignal;
  readonly fencingToken?: FencingToken | undefined;
}

/** See {@linkcode LockTurns}. */
export function createLockTurns(): LockTurns {
  /** Of works that go on, the latest last. */
  const turns = new Map<string, readonly LockTurn[]>();
  return {
    async during(name, turn, work) {
      turns.set(name, [...(turns.get(name) ?? []), turn]);
      try {
        return await work();
      } finally {
        const left = turns.get(name)?.filter((one) => one !== turn) ?? [];
        if (left.length > 0) turns.set(name, left);
        else turns.delete(name);
      }
    },
    assertNotLost(name, what) {
      if (turns.get(name)?.at(-1)?.signal.aborted !== true) return;
      throw storeFailed(`${what}: not saved, because the lock was lost and somebody else may have it`);
    },
    fencingTokenOf: (name) => turns.get(name)?.at(-1)?.fencingToken,
  };
}
