import type { Cancel } from "@hostside/core";
import { assertKnownOptions, kindOf, type Fields } from "@hostside/core/implement";

/** A signal that asks a process to end. */
export type EndingSignal = "SIGHUP" | "SIGINT" | "SIGTERM";

/** As much of Node's `process` as matters here. */
export interface SignalSource {
  readonly pid: number;
  on(signal: EndingSignal, listener: () => void): unknown;
  off(signal: EndingSignal, listener: () => void): unknown;
  listenerCount(signal: EndingSignal): number;
  kill(pid: number, signal: EndingSignal): unknown;
  exit(code: number): unknown;
}

/** Options of {@linkcode closeOnSignals}. */
export interface CloseOnSignalsOptions {
  /** Default all three: SIGHUP, SIGINT, SIGTERM. */
  readonly signals?: readonly EndingSignal[];
  /** Default: Node's `process`. */
  readonly process?: SignalSource;
}

const optionFields: Fields<CloseOnSignalsOptions> = { signals: true, process: true };
// https://pubs.opengroup.org/onlinepubs/9799919799/utilities/kill.html
const numbers: Readonly<Record<EndingSignal, number>> = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

/**
 * Ends a program in order when a signal asks it to: calls `close` (that of a provider, say), waits
 * for it, however it settles, and lets the signal have its way then. Without it, a signal ends this
 * process at once, and a server that ignores the end of its stdin outlives it. A second signal does
 * not wait: the program exits, and its servers get SIGTERM.
 *
 * Where somebody else listens to the signal, too, the process is theirs to end. Returns what takes
 * the listeners away again. Throws a `TypeError` for a `close` that is no function, for an option
 * that is unknown or of a wrong type, and in a runtime without signals.
 */
export function closeOnSignals(close: () => unknown, options: CloseOnSignalsOptions = {}): Cancel {
  // What cannot be called would be noticed when the signal is there, and nothing would be closed.
  if (typeof close !== "function") {
    throw new TypeError(
      `closeOnSignals(): close must be a function, such as () => provider.close(), not ${kindOf(close)}`,
    );
  }
  assertKnownOptions("closeOnSignals()", options, optionFields);
  const { signals = ["SIGHUP", "SIGINT", "SIGTERM"], process: source = Reflect.get(globalThis, "process") } = options;
  assertSignals(signals);
  assertSignalSource(source);
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
  const listeners = signals.map((signal) => [signal, () => void end(signal)] as const);
  for (const [signal, listener] of listeners) source.on(signal, listener);
  return remove;
}

// Others have another meaning, or cannot be caught.
function assertSignals(signals: unknown): void {
  const known = Object.keys(numbers);
  if (Array.isArray(signals) && signals.every((signal) => known.includes(signal))) return;
  throw new TypeError(`closeOnSignals(): signals must be an array of ${known.join(", ")}`);
}

function assertSignalSource(source: unknown): asserts source is SignalSource {
  const members = ["on", "off", "listenerCount", "kill", "exit"];
  const isSource =
    typeof source === "object" &&
    source !== null &&
    members.every((member) => typeof Reflect.get(source, member) === "function");
  if (!isSource) throw new TypeError("closeOnSignals(): this runtime has no signals; give options.process");
}
