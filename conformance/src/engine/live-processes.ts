import { readdirSync, readFileSync } from "node:fs";

/**
 * Process ids of a group that are alive, from the process table (Linux); elsewhere only whether any
 * is, as the group's own id.
 */
export function aliveInGroup(groupId: number): readonly number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => groupOf(pid) === groupId);
  } catch {
    // No /proc on this system: signal 0 still tells whether the group has a member.
    return signalGroup(groupId, 0) ? [groupId] : [];
  }
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

/**
 * Whether a process has ended and waits for its parent to ask how (Linux; elsewhere never). A host
 * may take its time over that.
 */
export function isZombie(pid: number): boolean {
  return readStat(pid)?.state === "Z";
}

function groupOf(pid: number): number | undefined {
  const stat = readStat(pid);
  return stat === undefined || stat.state === "Z" ? undefined : stat.group;
}

// /proc/<pid>/stat: "pid (name) state ppid pgrp …"; the name may hold anything, so fields count
// from its last parenthesis.
function readStat(pid: number): { readonly state: string; readonly group: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state = "", , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state, group: Number(group) };
  } catch {
    // No such process (any more), or no /proc.
    return undefined;
  }
}
