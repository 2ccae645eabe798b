import type { Store } from "@hostside/core";
import { systemClock } from "@hostside/core/implement";
import type { SavedNames } from "@hostside/naming";
import { createKeptNames } from "../../names/keep-names.ts";

/** The names that tools of these servers had last. Never rejects. */
export function lastNamesOf(serverIds: readonly string[], store: Store): Promise<SavedNames> {
  const means = { store, providerName: undefined, naming: undefined, clock: systemClock, report: () => undefined };
  return createKeptNames(means).recall(serverIds);
}
