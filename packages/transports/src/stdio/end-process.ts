import { clock } from "@hostside/core/implement";
import type { Cancel } from "@hostside/core";
import type { ProcessGroup, ServerProcess } from "./process-group.ts";

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
}

/**
 * Ends a process and its group (end of stdin, SIGTERM, SIGKILL, only as far as needed) and gives
 * its pipes back. Never rejects, and is never later than three graces; a process that SIGKILL did
 * not end by then is stuck in the kernel, and no longer holds this one. Resolves with whether
 * SIGKILL was needed.
 */
export async function endProcess(init: EndProcessInit): Promise<boolean> {
  const { process, group, endInput, inputGraceMs, signalGraceMs } = init;
  // A server that is still writing must not block on a full pipe instead of ending.
  process.stdout.resume();
  let wasKilled = false;
  const kill = (): void => {
    wasKilled = true;
    group.kill();
  };
  await killLadder({
    rungs: [
      { act: endInput, graceMs: inputGraceMs },
      { act: () => group.terminate(), graceMs: signalGraceMs },
      { act: kill, graceMs: signalGraceMs },
    ],
    leaderExited: exitOf(process),
    isAlive: () => group.isAlive(),
  });
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

/** What is to be gone, and how to tell. */
export interface KillLadderInit {
  /** The steps, and how long to wait for each to work, in milliseconds. */
  readonly rungs: readonly { readonly act: () => void; readonly graceMs: number }[];
  /** Resolves when the leader's end was reported. */
  readonly leaderExited: Promise<unknown>;
  /** Whether anything is left. Asked only after the leader's end, because asking costs. */
  readonly isAlive: () => boolean;
}

const firstPollMs = 4;
const longestPollMs = 100;

/**
 * Takes one rung after the other until nothing is left. Resolves with whether that is so, never
 * later than all graces together.
 */
export async function killLadder(init: KillLadderInit): Promise<boolean> {
  for (const { act, graceMs } of init.rungs) {
    act();
    if (await isGoneWithin(graceMs, init)) return true;
  }
  return false;
}

function isGoneWithin(graceMs: number, { leaderExited, isAlive }: KillLadderInit): Promise<boolean> {
  return new Promise((resolve) => {
    let settled = false;
    let pollMs = firstPollMs;
    let cancelPoll = (): void => {};
    const cancelGrace = clock.schedule(graceMs, () => settle(false));
    const settle = (gone: boolean): void => {
      settled = true;
      cancelPoll();
      cancelGrace();
      resolve(gone);
    };
    const poll = (): void => {
      if (settled) return;
      if (!isAlive()) return settle(true);
      cancelPoll = clock.schedule(pollMs, poll);
      pollMs = Math.min(pollMs * 2, longestPollMs);
    };
    void leaderExited.then(poll);
  });
}

// One listener for all servers: one per server would pass Node's warning for leaks at the eleventh.
const groups = new Map<ProcessGroup, () => boolean>();

/**
 * Sends a signal to the group when this process ends by `process.exit()` or an uncaught exception:
 * SIGTERM, or SIGKILL where it `isClosing` already, because nothing would send that later. Returns
 * what takes it off the list; the listener on `process` lives only while the list has members.
 *
 * However this process ends, also by SIGKILL, a server's stdin ends with it.
 */
export function terminateOnExit(group: ProcessGroup, isClosing: () => boolean): Cancel {
  if (groups.size === 0) process.on("exit", terminateAll);
  groups.set(group, isClosing);
  return () => {
    if (groups.delete(group) && groups.size === 0) process.off("exit", terminateAll);
  };
}

function terminateAll(): void {
  for (const [group, isClosing] of groups) {
    if (isClosing()) group.kill();
    else group.terminate();
  }
}
