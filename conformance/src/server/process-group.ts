import { readdirSync, readFileSync } from "node:fs";

/** Process ids of a group that are alive, from the process table (Linux); elsewhere only whether any is, as the group's own id. */
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

// /proc/<pid>/stat: "pid (name) state ppid pgrp …"; the name may hold anything, so fields count from its last parenthesis.
function groupOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? undefined : Number(group);
  } catch {
    // The process ended while we looked.
    return undefined;
  }
}
