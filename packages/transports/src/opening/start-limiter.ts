import { defaultStartLimit } from "#stdio";
import type { Clock } from "@hostside/core";
import { systemClock, type ConnectionHooks } from "@hostside/core/implement";
import { abortedConnect } from "./connect-deadline.ts";
import { runHook } from "../time/run-hook.ts";
import { createStartQueue, type StartPlace, type StartQueue } from "./start-queue.ts";

/** The starts of all servers of one connector. */
export interface StartLimiter {
  /**
   * The queue; made by the first who starts a process, with the places that the runtime of the
   * moment has room for.
   */
  readonly queue: (places: () => number) => StartQueue;
}

/** Makes them. Without a number, each runtime says itself how many servers may start at once. */
export function createStartLimiter(maxConcurrentStarts: number | undefined): StartLimiter {
  let made: StartQueue | undefined;
  return { queue: (places) => (made ??= createStartQueue(maxConcurrentStarts ?? places())) };
}

/** Whose turn it is to be. */
export interface AcquireStartInit {
  readonly starts: StartLimiter;
  readonly hooks: ConnectionHooks;
  readonly signal: AbortSignal;
  readonly options: { readonly clock?: Clock | undefined };
}

// A server that is still silent then waits for something else than a processor: a download, or for
// ever.
const longestTurnMs = 5000;

/**
 * Waits until the process of a server may start: starts take processors, and too many at once
 * starve each other. The turn ends when the server has begun to speak, after 5 s, or when somebody
 * ends it; what it stands for goes on. Who need not wait starts at once: no promise.
 *
 * Throws `aborted`.
 */
export function acquireStart(serverId: string, init: AcquireStartInit): StartPlace | Promise<StartPlace> {
  const { starts, signal, options } = init;
  const { clock = systemClock } = options;
  const queue = starts.queue(defaultStartLimit);
  const free = signal.aborted ? undefined : queue.takeFree();
  return free === undefined ? waitForTurn(serverId, queue, init) : endInTime(free, clock);
}

async function waitForTurn(
  serverId: string,
  queue: StartQueue,
  { hooks, signal, options }: AcquireStartInit,
): Promise<StartPlace> {
  const { clock = systemClock } = options;
  let hasWaited = false;
  const onWait = (): void => {
    hasWaited = true;
    if (hooks.onQueued !== undefined) runHook<void>(hooks.onQueued, undefined);
  };
  let place: StartPlace;
  try {
    place = await queue.enter(signal, onWait);
  } catch {
    throw abortedConnect(serverId, signal);
  }
  if (hasWaited && hooks.onStart !== undefined) runHook<void>(hooks.onStart, undefined);
  return endInTime(place, clock);
}

function endInTime(place: StartPlace, clock: Clock): StartPlace {
  const cancel = clock.schedule(longestTurnMs, () => place.leave());
  return {
    leave() {
      cancel();
      place.leave();
    },
  };
}
