import { readFileSync } from "node:fs";

/** Whether a process has ended and waits for its parent to ask how (Linux; elsewhere never). A host may take its time over that. */
export function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // "pid (name) state …"; the name may hold anything, so the state counts from its last parenthesis.
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    // No such process, or no /proc.
    return false;
  }
}
