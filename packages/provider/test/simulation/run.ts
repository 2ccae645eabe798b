import type { McpProvider } from "@toolport/provider";
import type { InterceptorFault, Program } from "./program.ts";
import type { TrackedOperations } from "./tracked-operations.ts";
import type { World } from "./world.ts";

/** Everything that a run consists of. */
export interface Run {
  readonly world: World;
  readonly provider: McpProvider;
  readonly program: Program;
  readonly operations: TrackedOperations;
  readonly human: Human;
  readonly interceptorFaults: InterceptorFault[];
  readonly closing: { value: boolean; done: boolean };
  /** While it is calm, steps happen at once; else the scheduler picks the next one. */
  readonly calm: { value: boolean };
}

/** Who answers the questions of servers, in their own time. */
export interface Human {
  isAnswering(serverId: string): boolean;
  /** Time taken so far. */
  answeredMs(serverId: string): number;
  /** With a `signal` there is nobody: the question is over when that aborts, and is never answered. */
  answer(serverId: string, signal?: AbortSignal): Promise<void>;
}
