/** Who is called on Ctrl-C, see `Terminal.onInterrupt`. */
export interface Interrupts {
  readonly onInterrupt: (listener: () => void) => () => void;
  /** Calls the latest listener, or says that there is none. */
  readonly interrupt: () => boolean;
}

/** Keeps those who want to hear of Ctrl-C. */
export function createInterrupts(): Interrupts {
  const listeners: { readonly call: () => void }[] = [];
  return {
    onInterrupt(listener) {
      const entry = { call: listener };
      listeners.push(entry);
      return () => {
        const at = listeners.indexOf(entry);
        if (at !== -1) listeners.splice(at, 1);
      };
    },
    interrupt() {
      const latest = listeners.at(-1);
      latest?.call();
      return latest !== undefined;
    },
  };
}
