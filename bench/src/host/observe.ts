import type { Adapter } from "./measure.ts";
import { runMeasurement } from "./run-measurement.ts";

/** What one contender did in one situation. */
export interface Observation {
  readonly adapter: string;
  readonly behaviour: string;
  readonly name: string;
  readonly seen: string;
}

// The longest behaviour waits for two calls that hang.
const patienceMs = 30_000;

/** Watches one contender in one situation, in a process of its own. */
export async function observe(node: string, { id, url }: Adapter, behaviour: string): Promise<Observation> {
  const run = await runMeasurement<{ readonly name: string; readonly seen: string }>({
    node,
    file: "run-behaviour.js",
    args: [url, behaviour],
    patienceMs,
  });
  const said = run.ok ? run.value : { name: id, seen: `fails before: ${run.reason}` };
  return { adapter: id, behaviour, ...said };
}
