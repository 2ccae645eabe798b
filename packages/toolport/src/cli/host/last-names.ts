import type { Store } from "@toolport/core";
import { systemClock } from "@toolport/core/implement";
import type { SavedNames } from "@toolport/naming";
import { createKeptNames } from "../../names/keep-names.ts";

/** The names that tools of these servers had last. Never rejects. */
export function namesOf(serverIds: readonly string[], store: Store): Promise<SavedNames> {
  const means = { store, providerName: undefined, naming: undefined, clock: systemClock, report: () => undefined };
  return createKeptNames(means).recall(serverIds);
}
