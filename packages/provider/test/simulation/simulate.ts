import fc, { type RunDetails, type Scheduler } from "fast-check";
import type { createProvider } from "@hostside/provider";
import type { RefreshMode } from "../../src/link/link-state.ts";
import { programsFor, type Program, type TroubleKind } from "./program.ts";
import { runProgram } from "./run-program.ts";

/** How much to simulate. */
export interface SimulationPlan {
  readonly create: typeof createProvider;
  readonly numRuns: number;
  /** Default: all three. */
  readonly modes?: readonly RefreshMode[];
  /** The kinds of trouble that each program has. Default: a few, other ones in each. */
  readonly kinds?: readonly TroubleKind[] | undefined;
  /**
   * Whether calls pass interceptors, because `create` puts some around those of the provider.
   * Default: they do not.
   */
  readonly intercepted?: boolean;
  /** Default: another one each time. A failure says which it was. */
  readonly seed?: number | undefined;
  /**
   * Which program and schedule of that seed to run again, as a failure printed it. Default: all.
   */
  readonly path?: string | undefined;
  /** Default `true`: a failure is shrunk to the shortest program and schedule that still fail. */
  readonly shrink?: boolean;
}

/**
 * Runs random programs in random orders; what comes back says whether one failed, and with which
 * seed and path.
 */
export async function simulate({
  create,
  numRuns,
  modes = ["lazy", "debounced", "manual"],
  kinds,
  seed,
  path,
  shrink = true,
  intercepted = false,
}: SimulationPlan): Promise<RunDetails<[Program, Scheduler]>> {
  const property = fc.asyncProperty(programsFor({ modes, kinds }), fc.scheduler(), (program, scheduler) =>
    runProgram(intercepted ? { ...program, intercepted } : program, scheduler, create),
  );
  const { stackTraceLimit } = Error;
  // The errors of a run are data. Their stacks would take a third of the time and tell nothing.
  Error.stackTraceLimit = 0;
  try {
    return await fc.check(property, {
      numRuns,
      endOnFailure: !shrink,
      ...(seed !== undefined && { seed }),
      ...(path !== undefined && { path }),
    });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
