import { clock } from "@hostside/core/implement";
import type { Cancel } from "@hostside/core";
import type { ChildProcess, SpawnOptions } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** The input of {@linkcode endProcess}. */
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

/** True if the operating system has reported the end of the process. */
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

/** The input of {@linkcode killLadder}. */
export interface KillLadderInit {
  /** The steps, and how long to wait for each to work, in milliseconds. */
  readonly rungs: readonly { readonly act: () => void; readonly graceMs: number }[];
  /** Resolves when the leader's end was reported. */
  readonly leaderExited: Promise<unknown>;
  /** True if anything is left. Asked only after the leader's end, because asking costs. */
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

/** Starts a process; `spawn` of `node:child_process` and of cross-spawn have this shape. */
export type SpawnProcess = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

/** A process that was started with three pipes. */
export interface ServerProcess extends ChildProcess {
  readonly pid: number;
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
}

/** A server's process and everything it started, as long as that stayed in its group. */
export interface ProcessGroup {
  /**
   * Asks all of it to stop. Windows knows no such request, so there it is the same as
   * {@linkcode kill}.
   */
  terminate(): void;
  /** Ends all of it. */
  kill(): void;
  /** True if any of it still runs. Zombies do not count. */
  isAlive(): boolean;
}

/** The parts of {@linkcode ProcessGroup}. */
export interface ProcessGroupInit {
  /** The process that was started: on POSIX, as the leader of its own group. */
  readonly pid: number;
  readonly platform: NodeJS.Platform;
  /** True if the operating system has reported the leader's end. */
  readonly hasLeaderExited: () => boolean;
  /** Default `process.kill`. */
  readonly sendSignal?: ((pid: number, signal: NodeJS.Signals | 0) => void) | undefined;
  /** Starts `taskkill` on Windows. */
  readonly spawn: SpawnProcess;
}

/** Makes the handle; nothing is sent yet. No method throws. */
export function createProcessGroup(init: ProcessGroupInit): ProcessGroup {
  return init.platform === "win32" ? windowsTree(init) : posixGroup(init);
}

function posixGroup({ pid, platform, hasLeaderExited, sendSignal }: ProcessGroupInit): ProcessGroup {
  const exists = (signal: NodeJS.Signals | 0): boolean => {
    try {
      if (sendSignal === undefined) process.kill(-pid, signal);
      else sendSignal(-pid, signal);
      return true;
    } catch (error) {
      // EPERM: something is there, but it is not ours to signal. ESRCH: nothing is there.
      return error instanceof Error && "code" in error && error.code === "EPERM";
    }
  };
  return {
    terminate: () => void exists("SIGTERM"),
    kill: () => void exists("SIGKILL"),
    isAlive: () => !hasLeaderExited() || (exists(0) && (platform !== "linux" || hasLiveMember(pid))),
  };
}

// Not tested on Windows itself. There are no groups; `taskkill /T` walks the tree of parents, which
// works while the leader lives.
function windowsTree({ pid, hasLeaderExited, spawn }: ProcessGroupInit): ProcessGroup {
  const kill = (): void => {
    if (hasLeaderExited()) return;
    const taskkill = spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
    // A tree that is gone already is the usual reason, and the ladder looks again anyway.
    taskkill.on("error", () => {});
    taskkill.unref();
  };
  return { terminate: kill, kill, isAlive: () => !hasLeaderExited() };
}

/**
 * `kill(-pid, 0)` also finds zombies, and an orphan stays one for as long as process 1 does not
 * collect it: in a container often for ever. True also when `/proc` cannot be read.
 */
function hasLiveMember(pid: number): boolean {
  try {
    return process
      .getBuiltinModule("node:fs")
      .readdirSync("/proc")
      .some((entry) => /^\d+$/.test(entry) && isLiveMember(entry, pid));
  } catch {
    // Not mounted: then the signal's verdict stands.
    return true;
  }
}

function isLiveMember(entry: string, group: number): boolean {
  let stat: string;
  try {
    stat = process.getBuiltinModule("node:fs").readFileSync(`/proc/${entry}/stat`, "latin1");
  } catch {
    // It ended between the two reads.
    return false;
  }
  // `pid (name) state ppid pgrp …`; the name may hold anything, also `)`.
  // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
  const [state, , processGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ", 3);
  return processGroup === String(group) && state !== "Z" && state !== "X";
}
