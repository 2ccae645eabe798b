import type { Behaviour } from "./behaviour.ts";
import { lostBehaviours } from "./server-lost.ts";
import { toolBehaviours } from "./tools-change.ts";

/**
 * Every behaviour, in the order of the table. That one server hangs is a workload, because it is
 * measured in time.
 */
export const allBehaviours: readonly Behaviour[] = [...lostBehaviours, ...toolBehaviours];
