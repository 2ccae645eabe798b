import type { Cancel } from "./clock.ts";

/**
 * An abort that is made before anybody asks for its `AbortSignal`. A signal costs more than all the rest of a call's way through its layers,
 * and most calls end without anybody having looked at theirs.
 *
 * A class, as all is that is made for each call and has getters: an object literal with a getter gets a hidden class of its own each time,
 * which costs more than the object, and most of that in the garbage collector.
 */
export class LazySignal {
  #controller: AbortController | undefined;
  #ended: { readonly reason: unknown } | undefined;
  /** Most have one alone, which needs no set. */
  #first: (() => void) | undefined;
  #listeners: Set<() => void> | undefined;

  /** Made at the first look, aborted already if it is too late for that. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#ended !== undefined) this.#controller.abort(this.#ended.reason);
    return this.#controller.signal;
  }

  get aborted(): boolean {
    return this.#ended !== undefined;
  }

  get reason(): unknown {
    return this.#ended?.reason;
  }

  /** Aborts, once; later ones count for nothing. */
  abort(reason: unknown): void {
    if (this.#ended !== undefined) return;
    this.#ended = { reason };
    this.#controller?.abort(reason);
    const first = this.#first;
    const waiting = this.#listeners;
    this.#first = undefined;
    this.#listeners = undefined;
    first?.();
    if (waiting !== undefined) for (const listener of waiting) listener();
  }

  /** Calls `listener` when it aborts, at once if it has, until cancelled. Listeners must not throw. */
  onAbort(listener: () => void): Cancel {
    if (this.#ended !== undefined) {
      listener();
      return () => {};
    }
    if (this.#first === undefined && this.#listeners === undefined) {
      this.#first = listener;
      return () => {
        if (this.#first === listener) this.#first = undefined;
      };
    }
    const waiting = (this.#listeners ??= new Set());
    waiting.add(listener);
    return () => waiting.delete(listener);
  }
}

/** Makes one that nobody has aborted. */
export function createLazySignal(): LazySignal {
  return new LazySignal();
}

/** A time budget that ends for other reasons, too. */
export interface StoppableTime {
  readonly stop: LazySignal;
  remainingMs(): number;
  pause(): Cancel;
}

// One getter for all of them, so that they have one hidden class.
const signalOfDeadline: PropertyDescriptor & ThisType<{ readonly deadline: StoppableTime }> = {
  get() {
    return this.deadline.stop.signal;
  },
  enumerable: true,
  configurable: true,
};

/** Gives options the signal of their deadline, which is made when somebody asks the options for it. Whoever copies them has asked. */
export function withSignalOfDeadline<T extends { readonly deadline: StoppableTime }>(
  options: T,
): T & { readonly signal: AbortSignal } {
  return Object.defineProperty(options, "signal", signalOfDeadline) as T & { readonly signal: AbortSignal };
}

interface MayStop {
  readonly signal?: AbortSignal | undefined;
  readonly deadline?: object | undefined;
}

/** The signal of options, without having it made. `undefined` where they have none. */
export function signalOf(options: MayStop): AbortSignal | LazySignal | undefined {
  return lenderOf(options)?.stop ?? options.signal;
}

/** The deadline whose signal options have, where it is lent to them. */
export function lenderOf(options: MayStop): StoppableTime | undefined {
  const { deadline } = options;
  // Nearly all have none, and to look at a property itself is dear.
  if (deadline === undefined) return undefined;
  const isLent = Object.getOwnPropertyDescriptor(options, "signal")?.get === signalOfDeadline.get;
  return isLent ? (deadline as StoppableTime) : undefined;
}

/** The signal itself; has it made. */
export function toAbortSignal(signal: AbortSignal | LazySignal): AbortSignal {
  return signal instanceof LazySignal ? signal.signal : signal;
}
