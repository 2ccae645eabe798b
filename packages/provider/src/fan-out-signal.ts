/**
 * Signals that abort together; one for each who waits, because a runtime warns of many listeners on
 * a single one.
 */
export interface FanOutSignal {
  /** Another signal. */
  next(): AbortSignal;
  /** Aborts all that there are, and all that follow. */
  abort(reason: unknown): void;
  /** Lets go of the signal that it follows. */
  release(): void;
}

/** Makes signals that also abort when `followed` does, with its reason. */
export function createFanOutSignal(followed: AbortSignal | undefined): FanOutSignal {
  const controllers: AbortController[] = [];
  let aborted: { readonly reason: unknown } | undefined;

  const abort = (reason: unknown): void => {
    if (aborted !== undefined) return;
    aborted = { reason };
    for (const controller of controllers) controller.abort(reason);
  };
  const follow = (): void => abort(followed?.reason);
  if (followed?.aborted) follow();
  else followed?.addEventListener("abort", follow, { once: true });
  return {
    next() {
      const controller = new AbortController();
      controllers.push(controller);
      if (aborted !== undefined) controller.abort(aborted.reason);
      return controller.signal;
    },
    abort,
    release: () => followed?.removeEventListener("abort", follow),
  };
}
