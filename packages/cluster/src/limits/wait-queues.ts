import type { Cancel, Clock } from "@hostside/core";
import type { LimitRefusal } from "@hostside/policy";

/** One that waits in a line. */
export interface QueuePlace {
  /**
   * `"turn"`: it is the first, and there may be room now. `"over"`: its time is up. Rejects with
   * the reason of the signal.
   */
  turn(endsAt: number, signal: AbortSignal | undefined): Promise<"turn" | "over">;
  /** Goes; whoever is the first now has its turn at once. Idempotent. */
  leave(): void;
}

/**
 * Calls that wait for the same limit, in the order in which they came: the first asks for all, so
 * that those behind it cost nothing.
 */
export interface WaitQueues {
  readonly size: number;
  /** Why those who wait in a line do; `undefined` when nobody does. */
  refusalOf(line: string): LimitRefusal | undefined;
  /** Goes to the end of a line, and says why. */
  join(line: string, refusal: LimitRefusal): QueuePlace;
  /** When the first of a line is to look again: `refusal` says. */
  refuse(line: string, refusal: LimitRefusal): void;
  /** Something was given back: the first looks again. */
  wake(line: string): void;
}

interface Line {
  readonly members: Set<() => void>;
  refusal: LimitRefusal;
  dueAt: number;
}

/** Makes an empty set. */
export function createWaitQueues(clock: Clock): WaitQueues {
  const lines = new Map<string, Line>();
  let size = 0;
  const dueAt = ({ retryAfterMs = Number.POSITIVE_INFINITY }: LimitRefusal): number => clock.now() + retryAfterMs;
  const lookAgain = (line: Line | undefined): void => {
    const [first] = line?.members ?? [];
    if (line === undefined || first === undefined) return;
    line.dueAt = clock.now();
    first();
  };
  return {
    get size() {
      return size;
    },
    refusalOf: (name) => lines.get(name)?.refusal,
    refuse(name, refusal) {
      const line = lines.get(name);
      if (line !== undefined) Object.assign(line, { refusal, dueAt: dueAt(refusal) });
    },
    wake: (name) => lookAgain(lines.get(name)),
    join(name, refusal) {
      const line = lines.get(name) ?? ({ members: new Set(), refusal, dueAt: dueAt(refusal) } satisfies Line);
      lines.set(name, line);
      let check = (): void => {};
      const member = (): void => check();
      line.members.add(member);
      size += 1;
      return {
        turn: (endsAt, signal) =>
          new Promise((resolve, reject) => {
            let cancel: Cancel | undefined;
            const end = (): void => {
              check = () => {};
              cancel?.();
              signal?.removeEventListener("abort", giveUp);
            };
            const giveUp = (): void => {
              end();
              reject(signal?.reason as Error);
            };
            check = () => {
              cancel?.();
              const now = clock.now();
              const [first] = line.members;
              const wakeAt = first === member ? Math.min(endsAt, line.dueAt) : endsAt;
              if (now < wakeAt) return void (cancel = clock.schedule(wakeAt - now, () => check()));
              end();
              resolve(now >= endsAt ? "over" : "turn");
            };
            if (signal?.aborted === true) return giveUp();
            signal?.addEventListener("abort", giveUp, { once: true });
            check();
          }),
        leave() {
          if (!line.members.delete(member)) return;
          size -= 1;
          if (line.members.size === 0) lines.delete(name);
          else lookAgain(line);
        },
      };
    },
  };
}
