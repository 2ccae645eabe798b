import type { Clock, Diagnostic } from "@hostside/core";
import { createMemorySink, createResults, createStoreSink, type Results } from "@hostside/results";
import type { ChosenState } from "../state/choose-state.ts";
import type { HostOptions } from "../host-options.ts";

/** What presents results, and how it ends where it was made here. */
export interface ChosenResults {
  readonly results: Results;
  close(): Promise<void>;
}

/** What results are kept with, where the product says nothing else. */
export interface ResultsMeans {
  readonly state: Pick<ChosenState, "store" | "lock" | "isShared">;
  readonly clock: Clock;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

/**
 * Takes what was handed in, or makes what keeps results: in memory, or where replicas share a
 * state, up to 1 MiB each in its store, so that each reads on what another kept.
 */
export function chooseResults(given: HostOptions["results"], { state, ...defaults }: ResultsMeans): ChosenResults {
  if (given !== undefined && "present" in given) return { results: given, close: async () => undefined };
  const { store, lock, isShared } = state;
  const common = { ...defaults, ...(isShared && { store, lock }), ...given };
  if (given?.sink !== undefined) {
    const results = createResults({ ...common, sink: given.sink });
    return { results, close: () => results.close() };
  }
  const { clock } = defaults;
  const memory = createMemorySink({ clock });
  const sink = isShared ? createStoreSink({ store, larger: memory, clock }) : memory;
  const results = createResults({ ...common, sink });
  return { results, close: async () => void (await Promise.allSettled([results.close(), memory.close()])) };
}
