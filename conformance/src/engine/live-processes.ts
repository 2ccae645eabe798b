import { readdirSync, readFileSync } from "node:fs";

/**
 * Process ids of a group that are alive, from the process table (Linux); elsewhere only whether any
 * is, as the group's own id.
 */
export function aliveInGroup(groupId: number): readonly number[] {
  // Without /proc, signal 0 still tells whether the group has a member.
  return membersOf(groupId) ?? (signalGroup(groupId, 0) ? [groupId] : []);
}

/** Sends a signal to every process of a group; false when there is none. */
export function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-groupId, signal);
  } catch {
    // ESRCH: the group is empty, which is what most callers hope for.
    return false;
  }
}

/** Whether a process exists and has not ended (Linux; elsewhere never). */
export function isAlive(pid: number): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.state !== "Z";
}

/** Processes that a process started, at whatever remove (Linux; elsewhere none). */
export function descendantsOf(ancestor: number): readonly number[] {
  const table = processTable() ?? [];
  const found = [ancestor];
  for (const pid of found) found.push(...table.flatMap((each) => (each.parent === pid ? [each.pid] : [])));
  return found.slice(1);
}

/** The processes of a group that have not ended; `undefined` on systems without `/proc`. */
function membersOf(groupId: number): readonly number[] | undefined {
  return processTable()?.flatMap(({ pid, group, state }) => (group === groupId && state !== "Z" ? [pid] : []));
}

interface ProcessStat {
  readonly pid: number;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
}

function processTable(): readonly ProcessStat[] | undefined {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : []));
  } catch {
    return undefined;
  }
}

// /proc/<pid>/stat: "pid (name) state ppid pgrp …"; the name may hold anything, so fields count
// from its last parenthesis.
function readStat(pid: number): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state = "", parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { pid, state, parent: Number(parent), group: Number(group) };
  } catch {
    // No such process (any more), or no /proc.
    return undefined;
  }
}

/**
 * How many bytes of memory a group of processes has, by the number of the process that leads it; of
 * this process without one. `undefined` where the system has no `/proc` to look it up in.
 */
export function residentMemory(leader: number | undefined): number | undefined {
  if (leader === undefined) return process.memoryUsage.rss();
  return membersOf(leader)?.reduce((sum, pid) => sum + memoryOf(pid), 0);
}

function memoryOf(pid: number): number {
  try {
    const [, kilobytes = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    // It ended meanwhile.
    return 0;
  }
}
