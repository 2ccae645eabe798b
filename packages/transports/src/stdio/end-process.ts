import type { Clock } from "@hostside/core";
import { killLadder } from "./kill-ladder.ts";
import type { ProcessGroup } from "./process-group.ts";
import type { ServerProcess } from "./server-process.ts";

/** What {@linkcode endProcess} needs. */
export interface EndProcessInit {
  readonly process: ServerProcess;
  readonly group: ProcessGroup;
  /** Ends the process's stdin, which is how a server is told to end. */
  readonly endInput: () => void;
  /** How long the process may take to end by itself after that, in milliseconds. */
  readonly inputGraceMs: number;
  /** The same after SIGTERM, and after SIGKILL. */
  readonly signalGraceMs: number;
  readonly clock: Clock;
}

/**
 * Ends a process and its group (end of stdin, SIGTERM, SIGKILL, only as far as needed) and gives
 * its pipes back. Never rejects, and is never later than five graces; what not even SIGKILL ended
 * by then (a process stuck in the kernel) no longer holds this one. Resolves with whether SIGKILL
 * was needed.
 */
export async function endProcess(init: EndProcessInit): Promise<boolean> {
  const { process, group, endInput, inputGraceMs, signalGraceMs, clock } = init;
  // A server that is still writing must not block on a full pipe instead of ending.
  process.stdout.resume();
  let wasKilled = false;
  await killLadder({
    rungs: [
      { act: endInput, graceMs: inputGraceMs },
      { act: () => group.terminate(), graceMs: signalGraceMs },
      {
        act() {
          wasKilled = true;
          group.kill();
        },
        graceMs: signalGraceMs,
      },
    ],
    leaderExited: exitOf(process),
    isAlive: () => group.isAlive(),
    clock,
  });
  await group.endStragglers(signalGraceMs, clock);
  for (const pipe of [process.stdin, process.stdout, process.stderr]) pipe.destroy();
  process.unref();
  return wasKilled;
}

/** Whether the operating system has reported the end of the process. */
export function hasExited(process: Pick<ServerProcess, "exitCode" | "signalCode">): boolean {
  return process.exitCode !== null || process.signalCode !== null;
}

function exitOf(process: ServerProcess): Promise<void> {
  if (hasExited(process)) return Promise.resolve();
  return new Promise((resolve) => {
    process.once("exit", () => resolve());
    // What cross-spawn makes of the exit of a command interpreter that did not find its program.
    process.once("error", () => resolve());
  });
}
