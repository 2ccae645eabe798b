import type { McpProvider } from "@hostside/provider";
import type { Program } from "./program.ts";
import type { Operation, TrackedOperations } from "./tracked-operations.ts";
import type { World } from "./world.ts";

/** Everything that a run consists of. */
export interface Run {
  readonly world: World;
  readonly provider: McpProvider;
  readonly program: Program;
  readonly operations: TrackedOperations;
  readonly human: Human;
  readonly closing: { value: boolean; done: boolean };
  /** While it is calm, steps happen at once; else the scheduler picks the next one. */
  readonly calm: { value: boolean };
}

/** Who answers the questions of servers, in their own time. */
export interface Human {
  isAnswering(serverId: string): boolean;
  /** Time taken so far. */
  answeredMs(serverId: string): number;
  /**
   * With a `signal` there is nobody: the question is over when that aborts, and is never answered.
   */
  answer(serverId: string, signal?: AbortSignal): Promise<void>;
}

// No operation but a call has a deadline of its own; each is a few attempts long at most.
const longestOperationMs = 60_000;

/** Notes what was asked of the provider, and what comes of it. */
export function track(
  { operations, world }: Run,
  { label, ...rest }: Partial<Operation> & { readonly label: string },
  work: Promise<unknown>,
): Operation {
  const startedAt = world.clock.now();
  return operations.track(
    {
      withinMs: longestOperationMs,
      serverId: undefined,
      callId: undefined,
      abort: undefined,
      adds: undefined,
      removes: undefined,
      interrupts: undefined,
      renews: undefined,
      applies: undefined,
      drainMs: 0,
      clears: undefined,
      selected: undefined,
      ...rest,
      label,
      startedAt,
    },
    work,
  );
}
