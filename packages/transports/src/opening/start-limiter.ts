import { defaultStartLimit } from "#stdio";
import type { Cancel } from "@hostside/core";
import { clock, onAbort, tell, type ConnectionHooks } from "@hostside/core/implement";
import { abortedConnect } from "./connection-context.ts";

/** Which server is to start. */
export interface AcquireStartInit {
  readonly hooks: Pick<ConnectionHooks, "onQueued" | "onStart">;
  readonly signal: AbortSignal;
}

// A server that is still silent then waits for something else than a processor: a download, or for
// ever.
const longestTurnMs = 5000;

/**
 * Limits how many servers of one connector start at once, because starts take processors, and too
 * many at once starve each other. The others wait, in order.
 */
export class StartLimiter {
  readonly #waiting = new Set<() => void>();
  #free: number | undefined;

  /** Default: as many as the runtime says. */
  constructor(maxConcurrentStarts: number | undefined) {
    this.#free = maxConcurrentStarts;
  }

  /**
   * Waits until the process of a server may start; without a promise if it need not wait. Returns
   * what ends its turn, which is to be called when the server has begun to speak; it ends after 5 s
   * in any case. Throws `aborted`.
   */
  acquire(serverId: string, init: AcquireStartInit): Cancel | Promise<Cancel> {
    this.#free ??= defaultStartLimit();
    return this.#free > 0 && !init.signal.aborted ? this.#take() : this.#wait(serverId, init);
  }

  #take(): Cancel {
    this.#free = (this.#free ?? 0) - 1;
    let isHeld = true;
    const leave = (): void => {
      if (!isHeld) return;
      isHeld = false;
      cancelTimer();
      this.#free = (this.#free ?? 0) + 1;
      const [next] = this.#waiting;
      next?.();
    };
    const cancelTimer = clock.schedule(longestTurnMs, leave);
    return leave;
  }

  async #wait(serverId: string, { hooks, signal }: AcquireStartInit): Promise<Cancel> {
    if (signal.aborted) throw abortedConnect(serverId, signal);
    const leave = await new Promise<Cancel>((resolve, reject) => {
      const settle = (): void => {
        this.#waiting.delete(go);
        ignoreAbort();
      };
      const go = (): void => {
        settle();
        resolve(this.#take());
      };
      const ignoreAbort = onAbort(signal, () => {
        settle();
        reject(abortedConnect(serverId, signal));
      });
      this.#waiting.add(go);
      tell<void>(hooks.onQueued, undefined);
    });
    tell<void>(hooks.onStart, undefined);
    return leave;
  }
}
