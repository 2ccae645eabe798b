import type { Cancel } from "@hostside/core";
import { kindOf } from "@hostside/core/implement";

// https://pubs.opengroup.org/onlinepubs/9799919799/utilities/kill.html
const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
type EndingSignal = keyof typeof numbers;

/**
 * Ends a program in order when SIGHUP, SIGINT or SIGTERM asks it to: calls `close` (that of a
 * provider, say), waits for it, however it settles, and lets the signal have its way then. Without
 * it, a signal ends this process at once, and a server that ignores the end of its stdin outlives
 * it. A second signal does not wait: the program exits, and its servers get SIGTERM.
 *
 * If other code listens to the signal, too, that code has to end the process. Returns what takes
 * the listeners away again. Throws a `TypeError` for a `close` that is no function, and in a
 * runtime without signals.
 *
 * @example
 * closeOnSignals(() => host.close());
 */
export function closeOnSignals(close: () => unknown): Cancel {
  // What cannot be called would be noticed when the signal is there, and nothing would be closed.
  if (typeof close !== "function") {
    throw new TypeError(
      `closeOnSignals(): close must be a function, such as () => provider.close(), not ${kindOf(close)}`,
    );
  }
  const source: typeof process | undefined = Reflect.get(globalThis, "process");
  if (typeof source?.listenerCount !== "function") throw new TypeError("closeOnSignals(): this runtime has no signals");
  let isClosing = false;
  const remove = (): void => {
    for (const [signal, listener] of listeners) source.off(signal, listener);
  };
  const end = async (signal: EndingSignal): Promise<void> => {
    if (isClosing) return void source.exit(128 + numbers[signal]);
    isClosing = true;
    try {
      await close();
    } catch {
      // The program ends all the same, and whoever wants to know what went wrong looks at the
      // result of their own function.
    }
    remove();
    if (source.listenerCount(signal) === 0) source.kill(source.pid, signal);
  };
  const signals = ["SIGHUP", "SIGINT", "SIGTERM"] as const;
  const listeners = signals.map((signal) => [signal, () => void end(signal)] as const);
  for (const [signal, listener] of listeners) source.on(signal, listener);
  return remove;
}
