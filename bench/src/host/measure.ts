import type { Metrics } from "./contender.ts";
import { runMeasurement, type ProgramResult } from "./run-measurement.ts";

/** An adapter file. */
export interface Adapter {
  readonly id: string;
  /** URL of the module that node can run. */
  readonly url: string;
}

/** What one process measured. */
export interface Measured {
  readonly name: string;
  readonly version: string;
  readonly metrics: Metrics;
}

/** What one process measured, or why it could not. */
export type Measurement = ProgramResult<Measured>;

// The longest workload takes some ten seconds on a slow machine.
const patienceMs = 90_000;

/** Runs one workload with one contender in a process of its own. */
export function measure(node: string, adapter: Adapter, workload: string): Promise<Measurement> {
  return runMeasurement({ node, file: "run-contender.js", args: [adapter.url, workload], patienceMs });
}
