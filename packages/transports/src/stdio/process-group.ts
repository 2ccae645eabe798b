import type { Clock } from "@hostside/core";
import { spawn as spawnProgram } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import type { SpawnProcess } from "./server-process.ts";
import { readdir, readFile } from "node:fs/promises";
import { startVariable } from "./start-variable.ts";

/** A server's process and everything it started, as long as that stayed in its group. */
export interface ProcessGroup {
  /**
   * Asks all of it to stop. Windows knows no such request, so there it is the same as
   * {@linkcode kill}.
   */
  terminate(): void;
  /** Ends all of it. */
  kill(): void;
  /**
   * Ends what left the group but can still be told to belong to it, which takes two graces at most.
   * On Linux alone. Never rejects.
   */
  endStragglers(graceMs: number, clock: Clock): Promise<void>;
  /** Whether any of it still runs. Zombies do not count: nothing but time is left of them. */
  isAlive(): boolean;
}

/** What a {@linkcode ProcessGroup} is made from. */
export interface ProcessGroupInit {
  /** The process that was started: on POSIX, as the leader of its own group. */
  readonly pid: number;
  readonly platform: NodeJS.Platform;
  /** What its processes carry in their environment. Default: there is no such mark. */
  readonly mark?: string;
  /** Whether the operating system has reported the leader's end. */
  readonly hasLeaderExited: () => boolean;
  /** Default `process.kill`. */
  readonly sendSignal?: (pid: number, signal: NodeJS.Signals | 0) => void;
  /** Starts `taskkill` on Windows. Default that of Node. */
  readonly spawn?: SpawnProcess;
}

/** Makes the handle; nothing is sent yet. No method throws. */
export function createProcessGroup(init: ProcessGroupInit): ProcessGroup {
  return init.platform === "win32" ? windowsTree(init) : posixGroup(init);
}

function posixGroup({
  pid,
  platform,
  mark,
  hasLeaderExited,
  sendSignal = sendProcessSignal,
}: ProcessGroupInit): ProcessGroup {
  const exists = (signal: NodeJS.Signals | 0): boolean => {
    try {
      sendSignal(-pid, signal);
      return true;
    } catch (error) {
      // EPERM: something is there, but it is not ours to signal. ESRCH: nothing is there.
      return errorCode(error) === "EPERM";
    }
  };
  return {
    terminate: () => void exists("SIGTERM"),
    kill: () => void exists("SIGKILL"),
    async endStragglers(graceMs, clock) {
      if (mark === undefined) return;
      await endStragglers({ find: () => findStragglers(mark, platform), sendSignal, graceMs, clock });
    },
    isAlive: () => !hasLeaderExited() || (exists(0) && (platform !== "linux" || hasLiveMember(pid))),
  };
}

// Not tested on Windows itself. There are no groups; `taskkill /T` walks the tree of parents, which
// works while the leader lives.
function windowsTree({ pid, hasLeaderExited, spawn = spawnProgram }: ProcessGroupInit): ProcessGroup {
  const kill = (): void => {
    if (hasLeaderExited()) return;
    const taskkill = spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
    // Silence is right: a tree that is gone already is the usual reason, and the ladder looks again
    // anyway.
    taskkill.on("error", () => {});
    taskkill.unref();
  };
  return { terminate: kill, kill, endStragglers: async () => undefined, isAlive: () => !hasLeaderExited() };
}

/**
 * `kill(-pid, 0)` also finds zombies, and an orphan stays one for as long as process 1 does not
 * collect it: in a container often for ever. True also when `/proc` cannot be read.
 */
function hasLiveMember(pid: number): boolean {
  let entries: readonly string[];
  try {
    entries = readdirSync("/proc");
  } catch {
    // Not mounted: then the signal's verdict stands.
    return true;
  }
  return entries.some((entry) => /^\d+$/.test(entry) && isLiveMember(entry, pid));
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

function sendProcessSignal(pid: number, signal: NodeJS.Signals | 0): void {
  process.kill(pid, signal);
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** What {@linkcode endStragglers} needs. */
export interface EndStragglersInit {
  /** Those that are left, by process id. */
  readonly find: () => Promise<readonly number[]>;
  readonly sendSignal: (pid: number, signal: NodeJS.Signals) => void;
  /** How long they may take to end after SIGTERM, and after SIGKILL, in milliseconds. */
  readonly graceMs: number;
  readonly clock: Clock;
}

const pollMs = 20;

/**
 * Ends processes that are in no group of ours: SIGTERM, then SIGKILL, only as far as needed. Never
 * rejects, and is never later than both graces.
 */
export async function endStragglers({ find, sendSignal, graceMs, clock }: EndStragglersInit): Promise<void> {
  let left = await find();
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (left.length === 0) return;
    for (const pid of left) {
      try {
        sendSignal(pid, signal);
      } catch {
        // It ended by itself in between, or may not be signalled.
      }
    }
    for (const end = clock.now() + graceMs; left.length > 0 && clock.now() < end; left = await find()) {
      await new Promise<void>((resolve) => void clock.schedule(Math.min(pollMs, graceMs), resolve));
    }
  }
}

const readAtOnce = 32;

/**
 * Finds the processes whose environment carries a mark: those of one start that left their group,
 * to lead a session of their own. On Linux alone, and only those of the same user; elsewhere, and
 * without `/proc`, none. A process that had the variable removed is not found: that is how one says
 * that it is to stay. Never rejects.
 */
async function findStragglers(mark: string, platform: NodeJS.Platform): Promise<readonly number[]> {
  if (platform !== "linux") return [];
  const entries = await readdir("/proc").catch((): string[] => []);
  const pids = entries.filter((entry) => /^\d+$/.test(entry)).map(Number);
  const found: number[] = [];
  for (let start = 0; start < pids.length; start += readAtOnce) {
    const some = pids.slice(start, start + readAtOnce).filter((pid) => pid !== process.pid);
    const marked = await Promise.all(some.map((pid) => isMarked(pid, mark)));
    found.push(...some.filter((_, index) => marked[index]));
  }
  return found;
}

async function isMarked(pid: number, mark: string): Promise<boolean> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, "latin1");
    return environment.split("\0").some((entry) => entry.startsWith(`${startVariable}=`) && entry.includes(mark));
  } catch {
    // It ended, or is somebody else's.
    return false;
  }
}
