import { callWorkloads } from "./calls.ts";
import { startWorkloads } from "./starts.ts";
import { toolWorkloads } from "./tools.ts";
import { footprintWorkloads } from "./footprint.ts";
import { neighbourWorkloads } from "./neighbour-workloads.ts";
import { wholeStartWorkloads } from "./whole-starts.ts";
import type { Workload } from "./workload.ts";

/** How fast and how heavy a host is, in the order of the table. */
export const speedWorkloads: readonly Workload[] = [
  ...callWorkloads,
  ...startWorkloads,
  ...wholeStartWorkloads,
  ...toolWorkloads,
  ...footprintWorkloads,
];

/** Every workload. */
export const allWorkloads: readonly Workload[] = [...speedWorkloads, ...neighbourWorkloads];
