import type { ChildProcess, SpawnOptions } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";

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
  /** Whether any of it still runs. Zombies do not count. */
  isAlive(): boolean;
}

/** What a {@linkcode ProcessGroup} is made from. */
export interface ProcessGroupInit {
  /** The process that was started: on POSIX, as the leader of its own group. */
  readonly pid: number;
  readonly platform: NodeJS.Platform;
  /** Whether the operating system has reported the leader's end. */
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
    return readdirSync("/proc").some((entry) => /^\d+$/.test(entry) && isLiveMember(entry, pid));
  } catch {
    // Not mounted: then the signal's verdict stands.
    return true;
  }
}

function isLiveMember(entry: string, group: number): boolean {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${entry}/stat`, "latin1");
  } catch {
    // It ended between the two reads.
    return false;
  }
  // `pid (name) state ppid pgrp …`; the name may hold anything, also `)`.
  // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
  const [state, , processGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ", 3);
  return processGroup === String(group) && state !== "Z" && state !== "X";
}
