import { callWorkloads } from "./calls.ts";
import { startWorkloads } from "./starts.ts";
import { toolWorkloads } from "./tools.ts";
import { footprintWorkloads } from "./footprint.ts";
import { neighbourWorkloads } from "./neighbour-workloads.ts";
import type { Workload } from "./workload.ts";

/** Every workload, in the order of the table. */
export const allWorkloads: readonly Workload[] = [
  ...callWorkloads,
  ...startWorkloads,
  ...toolWorkloads,
  ...footprintWorkloads,
  ...neighbourWorkloads,
];
