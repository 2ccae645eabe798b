import type { Clock, Diagnostic } from "@toolport/core";
import { createMemorySink, createResults, type Results } from "@toolport/results";
import type { ToolportOptions } from "../toolport-options.ts";

/** What presents results, and how it ends where it was made here. */
export interface ChosenResults {
  readonly results: Results;
  close(): Promise<void>;
}

/** Takes what was handed in, or makes what keeps results in memory. */
export function chooseResults(
  given: ToolportOptions["results"],
  defaults: { readonly clock: Clock; readonly onDiagnostic: (diagnostic: Diagnostic) => void },
): ChosenResults {
  if (given !== undefined && "present" in given) return { results: given, close: async () => undefined };
  if (given?.sink !== undefined) {
    const results = createResults({ ...defaults, ...given, sink: given.sink });
    return { results, close: () => results.close() };
  }
  const sink = createMemorySink({ clock: defaults.clock });
  const results = createResults({ ...defaults, ...given, sink });
  return { results, close: async () => void (await Promise.allSettled([results.close(), sink.close()])) };
}
